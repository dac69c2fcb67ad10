# The page "try and explain" in a real browser; PICTURES is a folder for screenshots.
caucus serve -m none.cau 2>&1 | grep -q 'built without' && { echo "built without libmicrohttpd"; exit 77; }
PYTHONPATH=$CASE/../browser
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
python3 -c 'import browser; browser.Browser().__exit__()' || exit 77
train() {
    caucus train -q --max-iterations 20 "$@"
}
train -o kitchen.cau "$EXAMPLES/kitchen/train.txt"
train --lower -o desk.cau "$EXAMPLES/desk/train.txt"
head -n 1000 "$EXAMPLES/kitchen/train.txt" >part.txt
train --pool bag --experts 3 --partition random --combine mixture -o pool.cau part.txt
for domain in in out; do
    printf 'pos\tgood %s film\nneg\tbad %s film\npos\tfine plot\nneg\tpoor plot\n' $domain $domain
    printf 'pos\tgood %s\nneg\tbad %s\n' $domain $domain
done >both.txt
head -n 6 both.txt >target.txt
tail -n 6 both.txt >source.txt
caucus adapt -q --target target.txt --source source.txt -f text -o mega.cau

serve -m kitchen.cau -m desk.cau -m pool.cau -m mega.cau
main=$url
echo $server >pid
cat >restart <<END
# restart stop|start: kills the server without a warning, or starts it on the same port.
case \$1 in
stop) kill -9 \$(cat pid) ;;
start)
    env --default-signal=INT,TERM caucus serve --port ${url##*:} -m kitchen.cau -m desk.cau -m pool.cau -m mega.cau 2>/dev/null &
    echo \$! >pid ;;
esac
END
printf '0123456789abcdef\n' >token
serve -m kitchen.cau --token-file token
python3 "$CASE/../browser/try.py" "$main" "$url" "sh ./restart" $PICTURES
kill $server $(cat pid)
