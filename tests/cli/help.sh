# Every page of the help, as it is without a terminal: 80 columns, standard output, status 0.
for verb in '' train tag eval adapt cluster inspect convert features help manual completion version formats; do
    caucus help $verb || echo "status $?"
    echo ----
done
# The other ways to ask give the same pages.
caucus help >overview
caucus --help | cmp - overview
caucus -h | cmp - overview
for verb in train tag eval adapt cluster inspect convert features help manual completion version; do
    caucus help $verb >page
    caucus $verb --help | cmp - page
    caucus $verb -h | cmp - page
done
caucus train x.txt --help --nonsense | head -n 1 # what stands behind --help is not read
