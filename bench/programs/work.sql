create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 80000)
insert into t select i, 'row ' || (i * 7919 % 1000), i / 7.0 from n;
create index tb on t(b);
select count(*), sum(a), round(avg(c), 3) from t where b like 'row 1%';
select b, count(*) c, max(a) from t group by b order by c desc, b limit 10;
select count(*) from t x join t y on x.b = y.b where x.a < 6000;
update t set c = c * 2 where a % 3 = 0;
select round(sum(c), 2) from t;
