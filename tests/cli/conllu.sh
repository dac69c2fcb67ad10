# CoNLL-U: any field is the label, and all other lines and fields stay.
exec 2>&1
line() { printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@"; }
{
    echo '# sent_id = 1'
    line 1 The the DET DT Definite=Def 2 det _ _
    line 2 cats cat NOUN NNS 'Case=Nom|Number=Plur' 3 nsubj _ NER=B-X
    line 2.1 e e _ _ _ _ _ _ _
    line 3 saw see VERB VBD _ 0 root _ SpaceAfter=No
    echo
    line 1-2 du _ _ _ _ _ _ _ _
    line 1 de de ADP IN _ 2 case _ _
    line 2 le le DET DT _ 0 root _ NER=B-Y
    echo
} >gold.conllu
caucus train -q -o upos.cau gold.conllu
caucus tag -q -m upos.cau gold.conllu | cmp - gold.conllu && echo upos
for label in xpos deprel feats.Case misc.NER; do
    caucus train -q -f conllu --label $label -o m.cau gold.conllu
    caucus tag -q -m m.cau gold.conllu | cmp - gold.conllu && echo $label
done
echo "-- labels that are not known"
awk -F '\t' -v OFS='\t' 'NF == 10 { $4 = "_" } { print }' gold.conllu >new.conllu
caucus tag -q -m upos.cau new.conllu | cmp - gold.conllu && echo tagged
caucus train -q -o m.cau new.conllu
echo "-- the template sees chosen fields"
printf 'U:%%x[0,0]/%%x[0,1]/%%x[0,2]\n' >template
caucus features -q -T template --columns lemma,upos,form --label xpos gold.conllu
caucus features -q -T template --columns 2,3,1 --label xpos gold.conllu | head -n 1
echo "-- scores"
caucus tag -q -m upos.cau --label-probability gold.conllu | sed -n 2p | decimals 1
caucus tag -q -m upos.cau --nbest 2 gold.conllu >nbest
for tagged in gold.conllu new.conllu nbest; do
    caucus eval -q --gold gold.conllu $tagged | head -n 1
done
caucus tag -q -m m.cau gold.conllu | caucus eval --label misc.NER --conlleval --gold gold.conllu - | head -n 2
caucus eval -m upos.cau gold.conllu | sed -n 2p
echo "-- what is wrong"
caucus eval gold.conllu
caucus eval --label pos --gold gold.conllu gold.conllu
caucus train -q -f conllu --label feats -o bad.cau gold.conllu
caucus train -q --columns form,pos -o bad.cau gold.conllu
sed 3q gold.conllu >short.conllu; echo '4	x' >>short.conllu
caucus train -q -f conllu -o bad.cau short.conllu
{ sed 3q gold.conllu; echo 'x	x'; } >other.conllu
caucus train -q -f conllu -o bad.cau other.conllu
caucus train -q -f conllu --columns form, -o bad.cau gold.conllu
test ! -e bad.cau
