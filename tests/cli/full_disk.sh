# A full disk is reported when the output is closed, if not before: one line, status 1.
[ -c /dev/full ] || exit 77
exec 2>&1
data=$EXAMPLES/desk/train.txt
caucus train -q -o m.cau "$data"
caucus tag -q -m m.cau "$data" >/dev/full; echo "= $?"
for _ in 1 2 3 4 5 6 7 8 9; do cat "$data"; done >much.txt
caucus tag -q -p -m m.cau much.txt >/dev/full; echo "= $?"
caucus tag -q -m m.cau "$data" >tagged
caucus eval tagged >/dev/full; echo "= $?"
caucus inspect m.cau >/dev/full; echo "= $?"
caucus inspect --dump m.cau >/dev/full; echo "= $?"
caucus help >/dev/full; echo "= $?"
caucus manual >/dev/full; echo "= $?"
caucus train -q -o /dev/full "$data"; echo "= $?"
caucus inspect --dump m.cau >dump
caucus convert dump /dev/full; echo "= $?"
ls
