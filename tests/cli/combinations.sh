# Options that contradict each other: status 2, and no model.
exec 2>&1
cp "$EXAMPLES/desk/train.txt" .
run train -q --solver lbfgs --l1 1 -o m train.txt
run train -q --solver gis --l1 1 -o m train.txt
run train -q --correction -o m train.txt
run train -q --solver gis --correction -o m train.txt
run train -q --rate 0.1 -o m train.txt
run train -q --mean x.cau --l2 0 -o m train.txt
run train -q --patience 5 -o m train.txt
run train -q --memory lots -o m train.txt
run train -q --class-weight heavy -o m train.txt
run train -q --class-weight cats=2 -o m train.txt
run train -q --class-weight card=-2 -o m train.txt
run train -q --memory 1K -o m train.txt # valid, but too little
run train -q -o train.txt train.txt     # would overwrite the data
run train -q --dev train.txt --dev-fraction 0.1 -o m train.txt
run train -q --dev m --l2 1 -o m train.txt
caucus train -q -o good.cau train.txt
run tag -q -p --top 2 -m good.cau train.txt
run inspect -q --dump --json good.cau
run inspect -q --dump --explain word good.cau
run inspect -q --expectations train.txt --explain word good.cau
cmp train.txt "$EXAMPLES/desk/train.txt"
ls -A
