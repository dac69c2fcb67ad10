# The stand-ins for CRF++ and Wapiti, by their own flags, as a command and by links.
head -n 1000 "$EXAMPLES/kitchen/train.txt" >train.txt
head -n 60 "$EXAMPLES/kitchen/test.txt" >test.txt
bin=$PWD
for name in crf_learn crf_test wapiti; do ln -s "$(command -v caucus)" $name; done
same() { cmp "$1" "$2" && echo "the same: $1 $2"; }
printf 'U00:%%x[0,0]\nU01:%%x[-1,0]/%%x[0,0]\nB\n' >template
cat >patterns <<'PATTERNS'
U:w=%x[0,0]   # the word
u:p=%m[0,0,"^.?.?.?"]
*:c=%t[0,0,"\u"]

b
PATTERNS

echo "= crf_learn"
"$bin/crf_learn" -f 2 -c 2 -e 0.00001 -p 2 -t template train.txt model.crfpp >log
grep '^iter=' log | sed -n '1p;$p' | sed 's/obj=[0-9]*\.[0-9]*/obj=N/; s/diff=[0-9.]*$/diff=N/; s/^iter=[1-9][0-9]*/iter=last/'
grep '^Number' log
caucus train -q -T template --cutoff 2 --C 2 --solver lbfgs --states all --delta 0 -o ours.cau train.txt
objective() { caucus inspect "$1" | awk '$1 == "objective" { print $2 }'; }
awk -v ours="$(objective ours.cau)" '/^iter=/ { sub(".*obj=", ""); last = $1 } END {
    print ((last - ours) / ours < 1e-4 ? "the optimum" : last " " ours) }' log
caucus tag -q -m model.crfpp test.txt >tagged
"$bin/crf_test" -m model.crfpp test.txt >labels
tr ' ' '\t' <tagged | diff -B - labels
"$bin/crf_learn" -C model.crfpp.txt converted.crfpp
"$bin/crf_test" -m converted.crfpp -o converted test.txt
same labels converted
"$bin/crf_learn" -a CRF-L1 -m 20 template train.txt l1.crfpp >log && grep -c '^iter=' log
"$bin/crf_test" -v 1 -m model.crfpp test.txt | head -n 2 | decimals 2
"$bin/crf_test" -v2 -m model.crfpp <test.txt | sed -n 2p | decimals 1
"$bin/crf_test" -n 2 -m model.crfpp test.txt test.txt | grep -c '^# [01] '

echo "= wapiti"
"$bin/wapiti" train -T crf -p patterns -1 0 -2 1 -t 2 train.txt model.wapiti 2>log
sed 's/obj=[0-9]*\.[0-9]* */obj=N /; s/[0-9.]*s/Ns/g' log | sed -n '1,3p;$p'
(printf '@bytes\n' && sed 's/^U/u/' patterns) >ours.template
caucus train -q -T ours.template --rho2 1 --solver lbfgs --states all -o ours.cau train.txt
caucus convert --as wapiti ours.cau ours.wapiti
"$bin/wapiti" label -m ours.wapiti test.txt 2>log >ours
"$bin/wapiti" label -m model.wapiti test.txt 2>log >labels
same ours labels
caucus tag -q -m model.wapiti test.txt | diff -B - labels
"$bin/wapiti" l -l -m model.wapiti test.txt out 2>log && sed -n 1,2p out
"$bin/wapiti" label -p -s -m model.wapiti test.txt 2>log | head -n 2 | decimals 2
"$bin/wapiti" label -n 2 -m model.wapiti test.txt 2>log | grep -c .
"$bin/wapiti" label -c -m model.wapiti test.txt 2>&1 >out | head -n 7
"$bin/wapiti" label --force -m model.wapiti test.txt 2>log | awk 'NF && $2 != $3' | head -n 3
"$bin/wapiti" dump -p 1 model.wapiti 2>log | grep '^b' | head -n 1
"$bin/wapiti" train -1 0.5 -p patterns -i 5 <train.txt 2>log | head -c 6; echo
"$bin/wapiti" t -T memm -p patterns -d test.txt -i 3 train.txt memm.wapiti 2>&1 | grep -c 'err=[ 0-9]*\.[0-9]*%'
printf 'b # B-QTY B-UNIT 1\n' | cut -d ' ' -f 2- >patch.bad
printf 'b B-QTY B-UNIT 1\n\nb O O 0\n*:c=true # B-QTY 0.5\nb B-QTY B-UNIT -2.5\n' >patch
"$bin/wapiti" update -m model.wapiti patch new.wapiti
"$bin/wapiti" dump model.wapiti >old 2>log
"$bin/wapiti" dump new.wapiti 2>log | diff old - | grep '^[<>]' | sed 's/-*[0-9][.0-9]*$/N/'
"$bin/wapiti" update -m model.wapiti <patch | cmp - new.wapiti
"$bin/wapiti" update -c -m model.wapiti patch compact.wapiti
"$bin/wapiti" label -m new.wapiti test.txt 2>log >labels
"$bin/wapiti" label -m compact.wapiti test.txt 2>log | cmp labels -

exec 2>&1
echo "= notes and errors"
bad() { echo "$ $*"; name=$1; shift; "$bin/$name" "$@"; echo "= $?"; }
bad crf_learn template train.txt
bad crf_learn -a MIRA template train.txt refused
bad crf_learn -c abc template train.txt refused
bad crf_learn -c 0 template train.txt refused
bad crf_learn template missing.txt refused
bad crf_learn patterns train.txt refused
bad crf_learn ours.template train.txt refused
bad crf_learn template train.txt train.txt
bad crf_learn -H 10 -v
bad crf_test test.txt
bad crf_test -m missing test.txt
bad crf_test -c 2 -v1 -m model.crfpp test.txt
bad crf_test -m model.crfpp -Z
bad wapiti sing
bad wapiti train train.txt refused
bad wapiti train --me -p patterns train.txt refused
bad wapiti train -a newton -p patterns train.txt refused
bad wapiti train -p missing train.txt refused
bad wapiti label test.txt
bad wapiti label -s -m model.wapiti test.txt
bad wapiti dump
bad wapiti update patch
bad wapiti update -m model.crfpp patch
bad wapiti update -m model.wapiti patch.bad
printf 'nothing # O 1\n' >patch.bad
bad wapiti update -m model.wapiti patch.bad
printf 'a b\na b c\n' >ragged
bad wapiti train -p patterns ragged refused
printf 'x:%%x[0,0]\n' >wrong
bad wapiti train -p wrong train.txt refused
"$bin/wapiti" train -a rprop -w 5 --eta0 1 -i 1 -p patterns train.txt out.wapiti 2>&1 | grep caucus
ls refused 2>/dev/null
:
