# Errors of cluster: one line with the place and the remedy, and no input file is overwritten.
exec 2>&1
cp "$EXAMPLES"/pantry/*.tsv .
cluster() { caucus cluster -q --burn-in 2 --samples 4 --chains 1 "$@"; }
bad() { # bad ARGUMENT...: the run is refused
    cluster "$@"
    echo "= $?"
}
lines() { printf "$1" >"$2"; }

echo "- items"
bad missing.tsv
lines 'a\tx:1\nb\tx:2\na\ty:1\n' twice.tsv
bad twice.tsv
lines 'a\tx:1\nb\nc\tx:2\n' empty.tsv
bad --format rows empty.tsv
lines 'a\tx:1\nb\tx:many\n' number.tsv
bad --format rows number.tsv
lines 'a,x,1\na,x,2\n' pair.csv
bad pair.csv
lines 'a\t1\t-2\nb\t2\t3\n' negative.tsv
bad negative.tsv
lines '' nothing.tsv
bad nothing.tsv
bad --least 1000 goods.tsv
bad --format long --columns 0,1 goods.tsv

echo "- links"
lines 'apple\tstranger\tmust\n' unknown.tsv
bad --links unknown.tsv goods.tsv
lines 'apple\tpear\tmust\npear\tplum\tmust\nfig\tplum\tmust\napple\tfig\tcannot\n' chain.tsv
bad --links chain.tsv goods.tsv
lines 'apple\tpear\tperhaps\n' kind.tsv
bad --links kind.tsv goods.tsv
lines 'apple\tapple\tmust\n' self.tsv
bad --links self.tsv goods.tsv
lines 'tomato\tcarrot\tcannot\n' against.tsv
bad --links links.tsv --answers against.tsv goods.tsv
cat against.tsv

echo "- classes"
lines 'stranger\tx\n' other.tsv
bad --gold other.tsv goods.tsv
lines 'apple\n' none.tsv
bad --gold none.tsv goods.tsv

echo "- questions"
bad --ask 3 goods.tsv </dev/null
bad --ask 3 --by gold goods.tsv
bad --ask 3 --by json - <goods.tsv
bad --gold classes.tsv --ask 3 --batch-mode joint --select vi goods.tsv
bad --gold classes.tsv --ask 3 --batch-mode joint --select random goods.tsv

echo "- options"
bad --reduce nonsense goods.tsv
bad --reduce nmf:many goods.tsv
bad --plot curve.svg goods.tsv
bad --plot-members members.doc goods.tsv
bad --likelihood poisson goods.tsv

echo "- files"
bad -o goods.tsv goods.tsv
bad --assignments ./goods.tsv goods.tsv
bad --answers links.tsv --links links.tsv goods.tsv
bad --samples-file classes.tsv --gold classes.tsv goods.tsv
bad -o nowhere/m.cau goods.tsv
bad --answers nowhere/a.tsv goods.tsv
cmp goods.tsv "$EXAMPLES/pantry/goods.tsv"
cmp links.tsv "$EXAMPLES/pantry/links.tsv"
if [ -c /dev/full ]; then
    cluster goods.tsv >/dev/full; echo "= $?"
    cluster --json goods.tsv >/dev/full; echo "= $?"
    bad -o /dev/full goods.tsv
    bad --assignments /dev/full goods.tsv
    bad --answers /dev/full goods.tsv
fi
ls *.cau *.svg 2>/dev/null
true
