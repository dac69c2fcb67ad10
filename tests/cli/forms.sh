# The forms in which options may be written all mean the same: the same bytes come out.
data=$EXAMPLES/desk/train.txt
caucus train -q --l2 0.5 -f text --lower -o a.cau "$data"
caucus train --quiet --l2=0.5 -ftext --lower=1 --output=b.cau "$data"
caucus train "$data" -qob.cau --format text --c2 0.25 --lower && cmp a.cau b.cau
caucus train --C 2 -q -f=text -o b.cau "$data"; echo "status $?" # -f takes "=text"
caucus train -q --lower --sigma2 2 -o b.cau -- "$data" && cmp a.cau b.cau
caucus train -q --lower --lambda .5 -o b.cau - <"$data" && cmp a.cau b.cau
caucus train -q --rho2 5e-1 --lower=1 -o b.cau "$data" && cmp a.cau b.cau
cp "$data" ./--odd
caucus train -q --l2 0.5 --lower -o b.cau -- --odd && cmp a.cau b.cau
ls
