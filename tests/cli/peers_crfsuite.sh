# Models of CRFsuite: tagged directly, converted both ways, trained from. The weights are those of a dump, so the
# labels can be computed by hand.
tab=$(printf '\t')
sed "s/|/$tab/g" >dump <<'DUMP'
caucus dump 2
kind|crf
format|crfsuite
ngrams|1
lower|0
counts|0
values|0
comments|0
docstart|0
columns|0
class|A
class|B
from|0|1:4
from|1|0:-1|1:0.5
weights|each class
feature|x|0:1|1:-0.5
feature|y|0:0.25|1:2
feature|w=a:b|1:3
end|3|0
DUMP
# x x: A B is 1 + 4 - 0.5. x, w=a:b -1 times: A A is 1 + 0, B A and A B are less. z is unknown, so A and B are
# equal, and the first label of the model is taken.
sed "s/|/$tab/g" >items <<'ITEMS'
A|x
B|x

A|x
A|w=a\:b:-2

A|z

B|y|w=a\:b
B|y:0.5
ITEMS
run convert --as crfsuite dump small.crfsuite
run tag -m small.crfsuite items
run tag -m small.crfsuite --probabilities items | decimals 4
run convert small.crfsuite small.cau
caucus tag -m small.crfsuite items >direct
caucus tag -m small.cau items | cmp - direct
run inspect --top 2 small.crfsuite | grep -v '^file'
caucus convert --as crfsuite small.cau again.crfsuite && cmp small.crfsuite again.crfsuite && echo "the same again"
caucus train -q --from small.crfsuite --max-iterations 3 -o trained.cau items && caucus inspect --json trained.cau |
    tr '{' '\n' | sed -n 's/.*"label": "\([^"]*\)".*/\1/p' | sort -u

# What CRFsuite does not have, and files that are none of its models: one line, status 1, no file.
exec 2>&1
caucus train -q --model memm -f crfsuite -o memm.cau items
run convert --as crfsuite memm.cau refused.crfsuite
head -c 3000 small.crfsuite >cut.crfsuite
run tag -m cut.crfsuite items
run convert cut.crfsuite refused.cau
run convert items refused.cau
run convert --as mallet small.cau refused.crfsuite
ls refused* 2>/dev/null
:
