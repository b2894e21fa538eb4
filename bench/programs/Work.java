import java.util.Arrays;
import java.util.HashMap;

/* Objects, strings, a map and integer arithmetic, long enough for the compilers of the machine. */
public class Work {
	private final String name;
	private long balance;

	Work(String name) { this.name = name; }

	long move(int amount) { return balance += amount; }

	public static void main(String[] args) {
		int n = args.length > 0 ? Integer.parseInt(args[0]) : 300000;
		Work[] accounts = new Work[50];
		HashMap<String, Integer> table = new HashMap<>();
		StringBuilder text = new StringBuilder();
		int[] sorted = new int[n / 2];
		long x = 0, sum = 0;

		for (int i = 0; i < accounts.length; i++)
			accounts[i] = new Work("a" + i);
		for (int i = 0; i < n; i++)
			accounts[i * 7 % 50].move(i % 13 - 6);
		for (int i = 0; i < n / 4; i++)
			table.put("k" + i, (int)((long)i * i % 97));
		for (var e : table.entrySet())
			text.append(e.getKey()).append(':').append(e.getValue()).append(' ');
		for (int i = 0; i < sorted.length; i++)
			sorted[i] = (int)((long)i * 7919 % 10007);
		Arrays.sort(sorted);
		for (int i = 0; i < n * 20; i++)
			x = (x * 31 + i) % 65521;
		for (Work a : accounts)
			sum += a.balance + a.name.length();
		System.out.println(text.length() + " " + sorted[sorted.length / 2] + " " + x + " " + sum);
	}
}
