use strict; use warnings;
pipe(my $r, my $w) or die;
my $pid = fork();
if (!$pid) { close $r; print $w join(",", map { $_ * $_ } 1 .. 10), "\n"; close $w; exit 4 }
close $w; print "parent read ", scalar <$r>; waitpid($pid, 0); print "status ", $? >> 8, "\n";
open(my $p, "-|", "printf '3\n1\n2\n' | sort -n") or die; print "sorted ", join(" ", map { chomp; $_ } <$p>), "\n"; close $p;
local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; select(undef, undef, undef, 5); }; print "caught $@";
print `echo backticks`, system("exit 5") >> 8, "\n";
