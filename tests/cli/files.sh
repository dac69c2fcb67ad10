# Files that are missing, unreadable or not writable: one line and status 1, before any training.
exec 2>&1
cp "$EXAMPLES/desk/train.txt" .
mkdir folder
run train -q -o m.cau missing.txt
run train -q -o m.cau train.txt missing.txt
run train -q -o m.cau folder
run train -q -o m.cau --dev missing.txt train.txt
run train -q -o m.cau --mean missing.cau train.txt
run train -q -o missing/m.cau train.txt
run train -q -o train.txt/m.cau train.txt
run train -q -o folder train.txt
run tag -q -m missing.cau train.txt
run tag -q -m folder train.txt
run eval -q missing.txt
run eval -q folder
run inspect -q missing.cau
run convert -q missing.txt m.cau
caucus train -q -o m.cau train.txt
run tag -q -m m.cau missing.txt
run inspect -q --expectations missing.txt m.cau
rm m.cau
printf 'x\ty\n' >'odd
name.txt'
run train -q -o m.cau 'odd
name.txt.gone'
find . | sort
