# Files that are not the dump of a model, or a damaged one: one line with the place, status 1, and no model.
exec 2>&1
printf 'yes\tgood fine\nno\tbad worse\n' >good.txt
caucus train -q -o m.cau good.txt
caucus inspect --dump m.cau >dump
lines=$(wc -l <dump)
caucus convert dump same.cau && cmp m.cau same.cau && echo identical

# Cut after each line: refused with one line.
for i in $(seq 0 $((lines - 1))); do
    head -n "$i" dump >bad
    caucus convert bad n.cau >out 2>err
    status=$?
    [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] || echo "cut after $i: $status $(cat err)"
done
# Each line twice, and each line replaced by nonsense.
for i in $(seq 1 "$lines"); do
    for edit in p 's/.*/nonsense/' 's/.*/0\t0\t0\t0/'; do
        sed "$i$edit" dump >bad
        caucus convert bad n.cau >out 2>err
        status=$?
        [ $status = 1 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && continue
        # An info line may have any text: then the model must have the same dump.
        [ $status = 0 ] && [ ! -s err ] && caucus inspect --dump n.cau | cmp -s - bad && rm n.cau &&
            continue
        echo "line $i, $edit: $status $(cat err)"
    done
done
caucus convert /dev/null n.cau
echo "empty = $?"
caucus convert good.txt n.cau
echo "data = $?"
caucus convert m.cau n.cau
echo "model = $?"
cmp m.cau n.cau && rm n.cau
caucus convert dump missing/n.cau
echo "place = $?"
ls
