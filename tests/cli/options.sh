# Unknown options, values out of range, synonyms that contradict each other: status 2, and the nearest correct
# spelling. No input is read: x.txt does not exist.
exec 2>&1
run train --l3 1 -o m x.txt
run train --iterations 10 -o m x.txt
run train --epochs 10 -o m x.txt
run train --epochs=10 -o m x.txt
run train --algorithm gis -o m x.txt
run train --jobs 2 -o m x.txt
run train --output-file m x.txt
run train --lr 0.1 -o m x.txt
run train --learning-rate 0.1 -o m x.txt
run train --c 1 -o m x.txt
run train --out m x.txt
run tag --jobs 2 -m m x.txt
run tag --epochs 2 -m m x.txt
run train x.txt --epochs 10
run train -epochs 10 -o m x.txt
run train --sovler gis -o m x.txt
run train --xyzzyxyzzy -o m x.txt
run train --confusion -o m x.txt
run tag --probabilites -m m x.txt
run eval --jsno x.txt
run train -x -o m x.txt
run train -output m x.txt
run train -l2 1 -o m x.txt
run train -C 1 -o m x.txt
run train --l2 -1 -o m x.txt
run train --l2 nan -o m x.txt
run train --l2 1e999 -o m x.txt
run train --l2 '' -o m x.txt
run train --l2 1x -o m x.txt
run train --C 0 -o m x.txt
run train --threads 5000 -o m x.txt
run train --threads 1.5 -o m x.txt
run train --ngrams 0 -o m x.txt
run train --seed -1 -o m x.txt
run train --dev-fraction 0.95 -o m x.txt
run train --format xml -o m x.txt
run train --solver simplex -o m x.txt
run train --model svm -o m x.txt
run train --model CRF -o m x.txt
run tag -m m -o out.txt x.txt
run eval --output out.txt x.txt
run train --lower=yes -o m x.txt
run train --output= x.txt
run train x.txt -o
run train x.txt --l2
run train x.txt --l2 -o m
run train x.txt -o --l2 1
run train -o m --solver --l2 1 x.txt
run train -o m -- --l2
run train --l2 1 --c2 1 -o m x.txt
run train --C 1 --sigma2 1 -o m x.txt
run train --c1 1 --rho1 1 -o m x.txt
run adapt --methd mix --target x.txt --source y.txt -o m
run adapt --method best --target x.txt --source y.txt -o m
run adapt --l1 1 --target x.txt --source y.txt -o m
run adapt --beta-a 0.5 --target x.txt --source y.txt -o m
run cluster --linkz x.tsv
run inspect --top 0 m
ls -A
