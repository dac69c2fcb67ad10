# Models of CRF++, Wapiti, MegaM and LIBLINEAR: small files of the documented layouts, whose labels can be computed by
# hand, tagged directly and converted, trained from, and damaged.
tab=$(printf '\t')
cat >crfpp.txt <<'MODEL'
version: 100
cost-factor: 1
maxid: 12
xsize: 2

A
B

U0:%x[0,0]
B
B1:%x[0,1]

0 B
4 B1:n
8 U0:x
10 U0:y

0.0
4.0
-1.0
0.5
0
0
0.25
0
1.0
-0.5
0
2
MODEL
# x x: A B is 1 + 4 - 0.5. z is in no feature: at the end of a sequence of its own A and B are equal, and the first
# label is taken.
printf 'x v A\nx v B\n\nz v A\n\ny\tn B\nÉ n B\n' >data
run tag -m crfpp.txt data
run tag -m crfpp.txt --label-probability data | decimals 4
tr ' ' "$tab" <data | cut -f 1,2 >cells
caucus tag -q -m crfpp.txt cells | cut -f 3 >without
caucus tag -q -m crfpp.txt data | sed 's/.*[^AB]//' | cmp - without

cat >model.wapiti <<'MODEL'
#mdl#2#6
#rdr#3/0/0
10:u:%x[ 0,0],
21:*:%X[0,0]%t[0,0,"\u"],
1:b,
#qrk#2
1:A,
1:B,
#qrk#3
3:u:x,
9:*:Éfalse,
1:b,
0=0x1p+0
1=-0x1p-1
3=0x1p+1
6=0x1p-2
9=0x1p+2
10=-0x1p+0
MODEL
# Wapiti works on bytes: É has no lower case there and is not a letter. The data may have more columns than the patterns name, and no label.
run tag -m model.wapiti data
printf 'x\nx\n' | caucus tag -m model.wapiti
run convert model.wapiti wapiti.cau
caucus tag -q -m wapiti.cau data >ours
caucus tag -q -m model.wapiti data | cmp - ours

printf '***NAMEDLABELSIDS*** spam ham\n**BIAS** 0.5 -0.5\nwin 1 0\nhello 0 2.5\n' >named.megam
printf '**BIAS**\t0.5\nwin\t-1.25\n' >binary.megam
printf 'spam win\nham hello\nham\n' | caucus tag --probabilities -m named.megam | decimals 4
printf '1\twin:0.4\n' | caucus tag --format crfsuite --probabilities -m binary.megam | decimals 4
printf '1 win\n0\n' | caucus tag --probabilities -m binary.megam | decimals 4

printf 'solver_type %s\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n1 \n-0.5 \n0.5 \n' L2R_LR >lr.model
printf 'solver_type %s\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n1 \n-0.5 \n0.5 \n' L2R_L2LOSS_SVC >svc.model
# The second instance has score 0, which is the second label.
printf '+1 1:1\n-1 2:1\n-1 2:2\n1 3:1\n' >svmlight
run tag -m lr.model --probabilities svmlight | decimals 4
run tag -m svc.model svmlight
run inspect --top 2 lr.model | grep -v '^file'

# Training begins at their weights.
for model in crfpp.txt model.wapiti; do
    caucus train -q --from $model --max-iterations 2 -o from.cau data && caucus inspect from.cau | grep -c '^class'
done
caucus train -q --from lr.model --max-iterations 2 -o from.cau svmlight && caucus tag -q -m from.cau svmlight

exec 2>&1
run tag -m svc.model --probabilities svmlight
for model in crfpp.txt model.wapiti named.megam lr.model; do
    head -c -6 $model >cut.model
    run convert cut.model refused.cau
done
sed s/u:%x/u:%l/ model.wapiti >bad.wapiti
run tag -m bad.wapiti data
ls refused* 2>/dev/null
:
