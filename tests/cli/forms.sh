# All ways to write an option give the same bytes.
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
caucus train -q --solver sdca --lower -o a.cau "$data"
caucus train -q --solver dual --lower -o b.cau "$data" && cmp a.cau b.cau # the former name
desk=$EXAMPLES/desk
caucus adapt -q --target "$desk/calls.txt" --source "$data" --method mix -o a.cau
caucus adapt -q --in "$desk/calls.txt" --out "$data" --method mix -o b.cau && cmp a.cau b.cau # former names
ls
