# If the caller closed a standard stream, no other file is read or written in its place.
exec 2>&1
data=$EXAMPLES/desk/train.txt
caucus train -q -o m.cau "$data" >&-; echo "= $?"
caucus train -o n.cau "$data" 2>&-; echo "= $?"
cmp m.cau n.cau
caucus tag -q -m m.cau "$data" >&-; echo "= $?"
caucus tag -q -m m.cau <&-; echo "= $?"
caucus train -q -o n.cau - <&-; echo "= $?"
