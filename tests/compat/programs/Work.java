import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
public class Work {
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	public static void main(String[] a) throws Exception {
		System.out.println(fib(27));
		Map<String, Integer> m = new TreeMap<>();
		for (int i = 0; i < 50000; i++) m.merge("k" + i % 997, i, Integer::sum);
		System.out.println(m.get("k7") + " " + m.size());
		System.out.println(IntStream.range(0, 100000).filter(i -> i % 7 == 3).mapToLong(i -> (long) i * i).sum());
		ExecutorService pool = Executors.newFixedThreadPool(3);
		List<Future<Long>> fs = new ArrayList<>();
		for (int k = 0; k < 6; k++) { final int n = k; fs.add(pool.submit(() -> { long s = 0; for (int i = 0; i < 100000; i++) s += i % (n + 2); return s; })); }
		long sum = 0; for (Future<Long> f : fs) sum += f.get();
		pool.shutdown(); System.out.println(sum);
		try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("null caught"); }
		try { deep(0); } catch (StackOverflowError e) { System.out.println("overflow caught"); }
		System.gc();
		StringBuilder b = new StringBuilder(); for (int i = 0; i < 5000; i++) b.append(i * 1.5).append(','); System.out.println(b.length());
	}
	static int deep(int n) { return deep(n + 1) + 1; }
}
