# Standard files that the caller closed are not taken for other files.
exec 2>&1
data=$EXAMPLES/desk/train.txt
caucus train -q -o m.cau "$data" >&-; echo "= $?"
caucus train -o n.cau "$data" 2>&-; echo "= $?"
cmp m.cau n.cau
caucus tag -q -m m.cau "$data" >&-; echo "= $?"
caucus tag -q -m m.cau <&-; echo "= $?"
caucus train -q -o n.cau - <&-; echo "= $?"
