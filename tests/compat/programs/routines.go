package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	var wg sync.WaitGroup
	results := make(chan int, 100)
	for i := 0; i < 50; i++ {
		wg.Add(1)
		go func(k int) { defer wg.Done(); results <- fib(k % 20) }(i)
	}
	wg.Wait()
	close(results)
	sum := 0
	for v := range results {
		sum += v
	}
	fmt.Println("sum", sum)
	m := map[string]int{}
	for i := 0; i < 20000; i++ {
		m[fmt.Sprint("k", i%499)] += i
	}
	keys := make([]string, 0)
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Println(len(keys), m[keys[7]], strings.Repeat("ab", 3))
	defer func() { fmt.Println("recovered", recover() != nil) }()
	select {
	case <-time.After(20 * time.Millisecond):
		fmt.Println("timer")
	}
	var p *int
	fmt.Println(*p)
}
