//! C as it is written, and where components meet: the example with a common header, tables, strings, recursion, blocks,
//! first values, shared variables, messages with data, fairness, and conditions that inference has to find.

use super::{Ran, Small, TWO_EVENTS, check, workspace};

fn small(name: &str, code: &str, specification: &str) -> Small {
    Small::new(name, code, &format!("{TWO_EVENTS}{ANY}{specification}"))
}

const ANY: &str = "cproc nd { abstract { nd_call, 1, ND }; }
ND = ( return {$0 == 0} -> STOP | return {$0 == 1} -> STOP ).
";

fn mailbox(receiver: &str) -> Ran {
    let receiver = format!("@/{receiver}+@/receiver.spec");
    let files = ["@/sender.c+@/sender.spec", receiver.as_str(), "@/link.spec", "--globals", "initialised"];
    check(&workspace().join("examples/mailbox"), &files)
}

#[test]
fn the_mailbox_does_what_its_page_says() {
    mailbox("receiver.c").expect(&[
        ("live_patient", "violated"),
        ("delivered_before_ack", "holds"),
        ("live", "holds"),
        ("hears_or_gives_up", "holds"),
    ]);
    let wrong = mailbox("receiver_bug.c");
    assert!(
        wrong.verdicts().contains(&("delivered_before_ack".to_owned(), "violated".to_owned())),
        "{:#}",
        wrong.results
    );
}

/// Strings, tables, blocks, recursion and first values, each with what holds and what does not.
#[test]
fn c_is_taken_as_it_is_written() {
    let code = "#include <stdlib.h>
#include <string.h>
void a(void); void b(void); int nd(void);
int text(void) { char s[16]; strcpy(s, \"abc\"); strcat(s, \"def\"); if (strcmp(s, \"abcdef\") == 0) a(); else b(); return 0; }
static const struct { int kind; void (*run)(void); } table[] = { { 1, a }, { 2, b } };
int look(int kind) { for (unsigned i = 0; i < 2; i++) if (table[i].kind == kind) { table[i].run(); return 1; } return 0; }
static int down(int n) { return n <= 0 ? 0 : 1 + down(n - 1); }
int deep(void) { if (down(9) == 9) a(); else b(); return 0; }
int deep_wrong(void) { if (down(9) == 8) a(); else b(); return 0; }
struct node { int v; struct node *next; };
int list(void) {
    struct node *head = 0; int s = 0;
    for (int i = 1; i < 4; i++) { struct node *n = malloc(sizeof *n); if (!n) return -1; n->v = i; n->next = head; head = n; }
    for (struct node *p = head; p; p = p->next) s += p->v;
    if (s == 6) a(); else b();
    return 0;
}
int again(void) { while (nd()) { int *p = malloc(sizeof *p); if (!p) return 0; *p = 3; if (*p == 3) a(); else b(); free(p); } return 0; }
int keeps(void) { int *last = 0; while (nd()) { int *p = malloc(sizeof *p); if (!p) return 0; if (last == p) b(); last = p; } return 0; }
static int limit = 3; static int squares[4] = { 0, 1, 4, 9 };
int first(void) { int s = 0; for (int i = 0; i < 4; i++) s += squares[i]; if (limit == 3 && s == 14) a(); else b(); return 0; }
";
    let spec = "cprog c1 = text { formula text_a, {1}, G !b; formula text_b, {1}, G !a; }
cprog c2 = look { formula look_b, {$1 == 1}, G !b; formula look_a, {$1 == 1}, G !a; formula look_none, {$1 == 3}, G !(a | b); }
cprog c3 = deep { formula deep_b, {1}, G !b; } cprog c4 = deep_wrong { formula wrong_b, {1}, G !b; }
cprog c5 = list { formula list_b, {1}, G !b; formula list_a, {1}, G !a; }
cprog c6 = again { formula again_b, {1}, G !b; formula again_a, {1}, G !a; }
cprog c7 = first { formula first_b, {1}, G !b; }
";
    let folder = small("as-written", code, spec);
    let common = [
        ("text_a", "holds"),
        ("text_b", "violated"),
        ("look_b", "holds"),
        ("look_a", "violated"),
        ("look_none", "holds"),
        ("deep_b", "holds"),
        ("wrong_b", "violated"),
        ("list_b", "holds"),
        ("list_a", "violated"),
        ("again_b", "holds"),
        ("again_a", "violated"),
    ];
    folder.check(&["--globals", "initialised"]).expect(&[&common[..], &[("first_b", "holds")]].concat());
    folder.check(&["--globals", "first=any"]).expect(&[&common[..], &[("first_b", "violated")]].concat());
    // Too many blocks at a time: whether two are the same is not said.
    let keeps = small("keeps", code, "cprog c = keeps { formula same, {1}, G !b; }\n");
    assert_ne!(keeps.check(&[]).verdicts()[0].1, "violated");
}

/// A variable that one component writes and another reads is not constant for the reader, although it is on its own.
#[test]
fn what_another_component_writes_is_no_constant() {
    let code = "void a(void); void b(void);
int at; static int t[4] = { 0, 1, 2, 3 }; int lim = 3;
int writes(void) { at = 2; lim = 1; a(); return 0; }
int reads(void) { at = 0; a(); if (t[at] != 0) b(); return 0; }
int only_reads(void) { a(); if (lim != 3) b(); return 0; }
";
    let spec = "cprog x = writes, reads { formula one, {1, 1}, G !b; }
cprog y = writes, only_reads { formula two, {1, 1}, G !b; formula three, {1, lim == 3}, G !b; }
";
    let plain = small("another-writes", code, spec).check(&["--globals", "initialised"]);
    plain.expect(&[("one", "undecided"), ("two", "undecided"), ("three", "undecided")]);
    let declared = "shared at : 0..3\nshared lim : 0..3 = 3
cprog x = writes, reads { formula one, {1, 1}, G !b; }
cprog y = writes, only_reads { formula two, {1, 1}, G !b; }
cprog z = only_reads { formula alone, {1}, G !b; formula stays, {1}, G [lim == 3]; }
";
    small("declared-shared", code, declared).check(&["--globals", "initialised"]).expect(&[
        ("one", "violated"),
        ("two", "violated"),
        ("alone", "holds"),
        ("stays", "holds"),
    ]);
}

/// Two that set a flag and look at the other's (Dekker, Peterson): a lost update, and a turn that prevents it.
#[test]
fn accesses_of_shared_variables_interleave() {
    let code = "void a(void); void b(void); void c(void);
int count, want0, want1, turn;
void adds(void) { int t = count; count = t + 1; }
void both(void) { count = count + 1; count = count + 1; if (count == 3) b(); }
void lock0(void) { want0 = 1; turn = 1; while (want1 && turn == 1) ; a(); b(); want0 = 0; }
void lock1(void) { want1 = 1; turn = 0; while (want0 && turn == 0) ; c(); b(); want1 = 0; }
void open0(void) { want0 = 1; while (want1 && turn == 1) ; a(); b(); want0 = 0; }
void far(void) { count = 9; }
";
    let c = "cproc c { abstract { c_call, 1, C }; }\nC = ( c -> return {} -> STOP ).\n";
    let spec = format!(
        "{c}shared count : 0..4 = 0
shared want0 : 0..1 = 0
shared want1 : 0..1 = 0
shared turn : 0..1 = 0
cprog l = adds, both {{ formula never_three, {{1, 1}}, G [count != 3]; formula at_most, {{1, 1}}, G [count <= 3]; }}
cprog o = far {{ formula outside, {{1}}, G [count == 0]; }}
"
    );
    small("interleave", code, &spec).check(&[]).expect(&[
        ("never_three", "violated"),
        ("at_most", "holds"),
        ("outside", "undecided"),
    ]);
    let exclusion = |first: &str| {
        let code = code.replace("a(); b(); want0 = 0;", "a(); in0(); want0 = 0;");
        let code = code.replace("c(); b(); want1 = 0;", "c(); in1(); want1 = 0;");
        let spec = format!(
            "{c}shared want0 : 0..1 = 0\nshared want1 : 0..1 = 0\nshared turn : 0..1 = 0
cproc in0 {{ abstract {{ i, 1, IN0 }}; }}\nIN0 = ( in0 -> return {{}} -> STOP ).
cproc in1 {{ abstract {{ i, 1, IN1 }}; }}\nIN1 = ( in1 -> return {{}} -> STOP ).
cprog p = {first}, lock1 {{ formula exclusive, {{1, 1}}, G(a => (!c W in0)) & G(c => (!a W in1)); deadlock live, {{1, 1}}; }}\n"
        );
        small(&format!("peterson-{first}"), &format!("void in0(void); void in1(void);\n{code}"), &spec)
            .check(&[])
    };
    exclusion("lock0").expect(&[("exclusive", "holds"), ("live", "holds")]);
    assert_eq!(exclusion("open0").verdicts()[0].1, "violated");
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let code = "void a(void); int x; int *p = &x; static struct { int m; } s; int f(void) { x = 1; s.m = 2; a(); return 0; }\n";
    for (name, what) in [("x", "its address is taken"), ("s", "only integers"), ("nowhere", "no file has")] {
        let spec = format!("shared {name} : 0..1\ncprog c = f {{ formula g, {{1}}, F a; }}\n");
        let ran = small(&format!("refused-{name}"), code, &spec).check(&[]);
        assert_eq!(ran.status, 4, "{}", ran.messages);
        assert!(ran.messages.contains(what), "{}", ran.messages);
    }
}

#[test]
fn messages_carry_data() {
    let code = "void send(int channel, int value); void receive(int channel, int *value); void a(void); void b(void); int nd(void);
void sends(void) { int v = 0; while (v < 3) { send(1, v); v = v + 1; } }
void takes(void) { int v, last = -1; for (int i = 0; i < 3; i++) { receive(1, &v); if (v != last + 1) b(); last = v; } a(); }
void too_far(void) { send(1, 7); }
";
    let spec = "include \"concord/channels.spec\"
range V = 0..3
cproc send { abstract { s, 1, SENDS }; }\nSENDS = ( put[$2:V] -> return {} -> STOP ).
cproc receive { abstract { r, 1, RECEIVES }; }\nRECEIVES = ( get[v:V] -> {*$2 = v} -> return {} -> STOP ).
||FIFO = CHANNEL(2, 3).
||LOSES = LOSSY(3).
cprog fifo = sends, takes, FIFO { formula in_order, {1, 1, 1}, G !b; deadlock live, {1, 1, 1}; }
cprog loses = sends, takes, LOSES { formula lost, {1, 1, 1}, G !b; deadlock stuck, {1, 1, 1}; }
cprog far = too_far { formula outside, {1}, G !a; }
";
    small("data", code, spec).check(&[]).expect(&[
        ("in_order", "holds"),
        ("live", "holds"),
        ("lost", "violated"),
        ("stuck", "violated"),
        ("outside", "undecided"),
    ]);
}

#[test]
fn formulas_are_asked_under_fairness() {
    let code = "void a(void); void b(void); int nd(void);
void works(void) { int i = 0; while (i < 2) { i = i + 1; } a(); }
void spins(void) { while (1) { b(); } }
";
    let spec = "cprog none = works, spins { formula no_justice, {1, 1}, F a; }
cprog weak = works, spins { fair weak works; formula justice, {1, 1}, F a; formula both, {1, 1}, F a & G F b; }
cprog strong = works, spins { fair strong works, spins; formula all, {1, 1}, F a & G F b; }
";
    let folder = small("fair", code, spec);
    folder.check(&[]).expect(&[
        ("no_justice", "violated"),
        ("justice", "holds"),
        ("both", "holds"),
        ("all", "holds"),
    ]);
    let asked = ["--component", "works", "--component", "spins", "--formula", "F a"];
    folder.check(&asked).expect(&[("F a", "violated")]);
    folder.check(&[&asked[..], &["--weak-fair", "works"]].concat()).expect(&[("F a", "holds")]);
    folder.check(&[&asked[..], &["--strong-fair", "a"]].concat()).expect(&[("F a", "violated")]);
    for engine in ["plain", "symbolic", "two-level", "ag1"] {
        folder
            .check(&[&asked[..], &["--weak-fair", "works", "--engine", engine]].concat())
            .expect(&[("F a", "holds")]);
    }
}

/// Loops whose weakest preconditions do not come to an end.
#[test]
fn inference_comes_to_an_end() {
    let code = "void a(void); void b(void); int nd(void);
int d1(void){ int n=0; while(nd()) n++; if(n<0) b(); return 0; }
int d2(void){ int n=0,m=0; while(nd()){ n++; m++; } if(n!=m) b(); return 0; }
int d3(void){ int n=0,m=0; while(nd()){ n++; if(nd()) m++; } if(m>n) b(); return 0; }
int d4(int k){ int i=0; while(i<k) i++; if(k>=0 && i!=k) b(); return 0; }
int d5(void){ unsigned n=0; while(nd()){ n+=2; } if(n%2) b(); return 0; }
int d6(void){ int n=0; while(nd()){ if(n<1000) n++; } if(n>1000) b(); return 0; }
int d7(void){ int lo=0,hi=100; while(nd()){ if(lo<hi){ if(nd()) lo++; else hi--; } } if(lo>hi) b(); return 0; }
int d8(void){ int c=10; while(nd()){ if(nd()){ if(c>0){ c--; a(); } } else if(c<10) c++; } if(c<0||c>10) b(); return 0; }
int d10(void){ int x=100; while(x>0){ a(); x-=nd()?1:2; } if(x<-1) b(); return 0; }
int d13(void){ int head=0,n=0; while(nd()){ if(n<8 && nd()){ head=(head+1)%8; n++; } else if(n>0) n--; if(head<0||head>=8) b(); if(n<0||n>8) b(); } return 0; }
int d14(int x){ int y=x; while(nd()){ x++; y++; if(x>1000000) break; } if(x!=y) b(); return 0; }
int d15(void){ int i=0,j=200; while(i<j){ i++; j--; } if(i<99) b(); return 0; }
int d16(void){ int t=0,max=0; while(nd()){ int v=nd(); if(v>max) max=v; t++; if(t>5000) break; } if(max>1||max<0) b(); return 0; }
int d17(void){ int open=0; while(nd()){ if(!open){ open=1; a(); } else open=0; } if(open!=0&&open!=1) b(); return 0; }
int d18(void){ unsigned char seq=0; int n=0; while(nd()){ seq++; if(n<2000) n++; } if(n<0) b(); return 0; }
int d19(int n){ int i; if(n<1||n>500) return 0; i=n; while(i>1) i--; if(i!=1) b(); return 0; }
int w3(void){ int n=0,m=0; while(nd()){ n++; if(nd()) m++; } if(m>=n) b(); return 0; }
int w15(void){ int i=0,j=20; while(i<j){ i++; j--; } if(i<11) b(); return 0; }
";
    let holds = [1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16, 17, 18, 19];
    let mut spec = String::new();
    let mut wanted: Vec<(String, &str)> = Vec::new();
    for number in holds {
        spec += &format!("cprog q{number} = d{number} {{ formula n{number}, {{1}}, G !b; }}\n");
        wanted.push((format!("n{number}"), "holds"));
    }
    for number in [3, 15] {
        spec += &format!("cprog v{number} = w{number} {{ formula v{number}, {{1}}, G !b; }}\n");
        wanted.push((format!("v{number}"), "violated"));
    }
    let wanted: Vec<(&str, &str)> = wanted.iter().map(|(name, verdict)| (name.as_str(), *verdict)).collect();
    small("inference", code, &spec).check(&[]).expect(&wanted);
}
