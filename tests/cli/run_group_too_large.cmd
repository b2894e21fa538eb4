# A group of three events does not fit two counters: the true reason is said, with the option that helps; not that the program may need a
# newer processor, as its own words might be read. Asked again without the group there is nothing to say.
cat >group.pl <<'END'
my $first = -1;
for (@ARGV) {
	my $attr = pack("LLQx24Qx64", 4, 112, hex, 0x60);
	my $fd = syscall(298, $attr, 0, -1, $first, 0);
	$fd = syscall(298, $attr, 0, -1, -1, 0) if $fd < 0 && $ENV{AGAIN};
	print STDERR "the CPU does not support avx2 or this\n" and exit 1 if $fd < 0;
	$first = $fd if $first < 0;
}
END
softpmu run --tier 2 -- perl group.pl c0 c4 c5
softpmu run --tier 2 --counters 1 -- perl group.pl c0 c4
AGAIN=1 softpmu run --tier 2 -- perl group.pl c0 c4 c5
softpmu run --tier 2 --counters all -- perl group.pl c0 c4 c5
