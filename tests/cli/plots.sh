# Figures. Without gnuplot the data and the script are kept, with a note; the report is the same.
exec 2>&1
export CAUCUS_GNUPLOT=/nowhere/gnuplot
printf 'a O O\nb B-X B-X\nc B-Y B-X\n' >tagged
caucus eval --plot-confusion confusion.svg tagged >out
echo "= $?"
ls
cat confusion.svg.dat
caucus train -q --curve --seeds 2 --plot curve.svg "$EXAMPLES/desk/train.txt" >curve
echo "= $?"
caucus train -q --max-iterations 3 --plot run.png -o m.cau "$EXAMPLES/desk/train.txt"
echo "= $?"
caucus tag -q -p -m m.cau "$EXAMPLES/desk/test.txt" | caucus eval -q -p --plot-calibration c.pdf >/dev/null
ls -- *.dat *.gp
head -n 1 -- *.dat

# Gnuplot fails.
printf '#!/bin/sh\necho "no such terminal" >&2\nexit 1\n' >broken
chmod +x broken
rm -f confusion.svg.*
CAUCUS_GNUPLOT=$PWD/broken caucus eval --plot-confusion confusion.svg tagged >out2
echo "= $?"
cmp out out2
ls -- confusion*
