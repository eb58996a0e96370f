# Draws latency against n and against f from ./scale.csv, for the cost in variables L, o
# and g; suffix is that of the files' names.
# Columns: L,o,g,n,f,operation,algorithm,tree,correction,dead,which,news,latency,messages_per_process
rows(condition) = sprintf("< awk -F, '$1 == %d && $2 == %d && $3 == %d && $10 == 0 && %s' scale.csv", L, o, g, condition)
cost = sprintf("L = %d, o = %d, g = %d", L, o, g)
picture(axis) = "latency-".axis.suffix.".svg"
power_of_two = "log($4) / log(2) % 1 < 1e-9 && "
yardstick(operation, algorithm) = rows(sprintf('%s $6 == "%s" && $7 == "%s"', power_of_two, operation, algorithm))
corrected(operation, tree, more) = \
    rows(sprintf('$6 == "%s" && $7 == "corrected" && $8 == "%s" && $9 != "ring" && %s', operation, tree, more))
by_n(operation, tree) = corrected(operation, tree, power_of_two . "$5 == 1")
by_f(operation, tree) = corrected(operation, tree, "$4 == 4096")

set datafile separator comma
set terminal svg size 900,560 background "white"
set key outside right
set grid
set ylabel "latency in ticks (".cost.")"
set yrange [0:*]

set output picture("n")
set title "f = 1"
set xlabel "processes"
set logscale x 2
plot yardstick("allreduce", "recursive doubling") using 4:13 with linespoints dashtype 2 title "recursive doubling", \
     yardstick("reduce", "binomial") using 4:13 with linespoints dashtype 2 title "binomial reduce", \
     yardstick("allreduce", "binomial reduce and broadcast") using 4:13 with linespoints dashtype 2 \
         title "binomial reduce+broadcast", \
     yardstick("broadcast", "optimal") using 4:13 with linespoints dashtype 2 title "optimal broadcast", \
     yardstick("allreduce", "optimistic") using 4:13 with points pointsize 1.5 title "optimistic allreduce", \
     for [tree in "optimal binomial kary:2 kary:4"] by_n("allreduce", tree) using 4:13 with linespoints \
         title "corrected allreduce, ".tree, \
     by_n("reduce", "optimal") using 4:13 with linespoints title "corrected reduce, optimal"

set output picture("f")
set title "n = 4096"
set xlabel "f"
unset logscale x
set xtics 1
plot for [tree in "optimal binomial kary:2 kary:4"] by_f("allreduce", tree) using 5:13 with linespoints \
         title "corrected allreduce, ".tree, \
     for [tree in "optimal binomial kary:2 kary:4"] by_f("reduce", tree) using 5:13 with linespoints dashtype 2 \
         title "corrected reduce, ".tree
