# Files the user may not read, and folders where he may not write. Root may do both, so root runs these commands
# as nobody, in a folder where that user may write.
exec 2>&1
as=
if [ "$(id -u)" = 0 ]; then
    command -v setpriv >/dev/null || exit 77
    as='setpriv --reuid=65534 --regid=65534 --clear-groups'
    place=$(mktemp -d /tmp/caucus-nobody.XXXXXX) || exit 77
    trap 'rm -rf "$place"' EXIT
    cd "$place" || exit
    chmod 777 .
fi
cp "$(command -v caucus)" program
cp "$EXAMPLES/desk/train.txt" .
run_as_user() {
    echo "$ caucus $*"
    $as ./program "$@"
    echo "= $?"
}
run_as_user train -q -o secret.cau train.txt
cp train.txt secret.txt
chmod 000 secret.*
mkdir locked
chmod 555 locked
run_as_user train -q -o m.cau secret.txt
run_as_user tag -q -m secret.cau train.txt
run_as_user train -q -o locked/m.cau train.txt
ls . locked
