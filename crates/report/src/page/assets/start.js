// The page put together.
const root=document.getElementById("page");
const theme={
  get(){try{return localStorage.getItem("concord-theme")}catch{return null}},
  set(value){document.documentElement.style.colorScheme=value||"";try{localStorage.setItem("concord-theme",value)}catch{}},
  turn(){
    const now=document.documentElement.style.colorScheme||(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");
    this.set(now==="dark"?"light":"dark");say(now==="dark"?"light":"dark");
  }
};
if(theme.get())document.documentElement.style.colorScheme=theme.get();
const help=h("dialog",{"aria-label":"Keys"});
const showHelp=()=>{
  clear(help).append(h("h2",{},"Keys"),h("table",{},h("tbody",{},keys.filter(one=>one.what).map(one=>
    h("tr",{},h("td",{},one.names.map((name,at)=>[at?" or ":"",h("kbd",{},{ArrowRight:"→",ArrowLeft:"←"}[name]||(name===" "?"space":name))])),h("td",{},one.what))))),
    h("p",{},"In a drawing: arrow keys move, + and − zoom, 0 shows all; the wheel zooms, dragging moves. A click on a line goes to the run's next step there, a click on a box to its line."),
    h("p",{},button("Close","Close (Esc)",()=>help.close())));
  help.showModal();
};
const start=()=>{
  const many=(data.tasks||[]).length>0;
  const source=data.sources.length?new SourceView():null,run=new RunView(),graph=new GraphView();
  const top=h("header",{class:"top"}),bench=h("div",{class:"bench"}),decided=h("section",{class:"decided","aria-label":"How it was decided"});
  const tabs=h("div",{class:"tabs",role:"tablist","aria-label":"Views"}),side=h("section",{class:"card side","aria-label":"Run and drawings"},h("div",{class:"bar"},tabs));
  const over=h("div",{class:"over"},h("span",{class:"name"},"Concord"),h("span",{},data.verb),data.command?h("code",{title:data.command},data.command):null,h("span",{class:"room"}),
    button("Keys","Keys (?)",showHelp,{id:"help"}),button("◐","Light or dark (d)",()=>theme.turn(),{id:"theme"}));
  let now=0,panes=[];
  const tabTo=name=>{
    for(const pane of panes){
      const is=pane.name===name;pane.element.hidden=!is;
      pane.tab.setAttribute("aria-selected",is);pane.tab.tabIndex=is?0:-1;
      if(is&&pane.seen)pane.seen();
    }
  };
  const setPanes=list=>{
    for(const pane of panes)pane.element.remove();
    panes=list;clear(tabs);
    panes.forEach((pane,at)=>{
      pane.tab=h("button",{type:"button",role:"tab",id:"tab-"+pane.name,"aria-selected":"false",onclick:()=>tabTo(pane.name),onkeydown:event=>{
        const to={ArrowRight:at+1,ArrowLeft:at-1}[event.key];
        if(to!==undefined&&panes[to]){tabTo(panes[to].name);panes[to].tab.focus();event.stopPropagation();event.preventDefault()}}},pane.title);
      pane.element.setAttribute("role","tabpanel");pane.element.setAttribute("aria-labelledby","tab-"+pane.name);
      tabs.append(pane.tab);side.append(pane.element);
    });
    if(panes.length)tabTo(panes[0].name);
  };
  const showAnswer=at=>{
    now=at;
    const answer=data.answers[at];
    clear(top).append(over);
    if(answer){
      const open=answer.parts.findIndex(part=>part.word!==answer.word||part.run!==null);
      top.append(h("div",{class:"verdict"},pill(answer.word),h("h1",{},rich(answer.headline||answer.name))));
      if(answer.headline&&answer.name&&answer.headline!==answer.name)top.append(h("p",{class:"asked"},answer.name));
      if(data.answers.length>1)top.append(h("ul",{class:"answers",id:"answers","aria-label":"Questions"},data.answers.map((one,index)=>h("li",{class:index===at?"now":""},pill(one.word,true),
        h("button",{type:"button",class:"link","aria-current":index===at?"true":null,onclick:()=>showAnswer(index)},one.name||one.headline)))));
      if(answer.parts.length>1)top.append(h("details",{open:answer.parts.length<9&&open>=0},h("summary",{},`${answer.parts.length} parts, each with its verdict`),
        h("ul",{class:"parts",id:"parts"},answer.parts.map(part=>h("li",{},pill(part.word,true),part.run===null?h("span",{},rich(part.text)):
          h("button",{type:"button",class:"link",onclick:()=>{run.open(answer.runs,part.run);tabTo("run");run.go(answer.runs[part.run].steps.length-1)}},rich(part.text)),h("span",{class:"where"},placeLink(part.at)))))));
    }else top.append(h("div",{class:"verdict"},h("h1",{},data.title)));
    if(data.left_out.length)top.append(...data.left_out.map(text=>h("p",{class:"asked"},text)));
    if(many||!answer){if(data.live)liveAnswer();return}
    const list=[];
    const runs=answer.runs.filter(one=>one.steps.length||one.end);
    if(answer.runs.length)list.push({name:"run",title:"Run",element:run.element});
    if(answer.tree)list.push({name:"tree",title:"Strategy",element:h("div",{class:"pane"},treeView(answer.tree))});
    if(answer.graphs.length)list.push({name:"graph",title:"Drawing",element:graph.element,seen:()=>graph.graph&&graph.look(graph.view)});
    setPanes(list);
    side.hidden=!list.length;bench.classList.toggle("single",!list.length||!source);
    if(answer.graphs.length)graph.list(answer.graphs);
    clear(decided).append(...decidedView(answer));
    if(runs.length){run.open(answer.runs,0);run.go(answer.runs[0].steps.length-1)}
    else if(source){
      const place=answer.parts.map(part=>part.at).find(Boolean)||firstNote();
      if(place)source.go(place);
    }
  };
  // A served page without an answer yet: what can be walked.
  const liveView=()=>{
    const graphs=data.graphs.map((graph,at)=>at);
    setPanes([{name:"run",title:"Run",element:run.element},...(graphs.length?[{name:"graph",title:"Drawing",element:graph.element,seen:()=>graph.graph&&graph.look(graph.view)}]:[])]);
    if(graphs.length)graph.list(graphs);
    clear(decided);bench.classList.toggle("single",!source);
  };
  const liveAnswer=()=>{liveView();live.start()};
  const firstNote=()=>{for(let file=0;file<data.sources.length;file++){const line=Math.min(...Object.keys(data.sources[file].notes).map(Number));if(isFinite(line))return{file,line}}return null};
  on("line",at=>{if(source)source.go(at,false);if(at)graph.line(at)});
  on("chosen",at=>{run.toLine(at);graph.line(at)});
  on("step",(step,index,of)=>{if(source&&step&&step.p)source.go(step.p);graph.step(step,index,of)});
  on("mark",(step,of)=>graph.step(step,run.step,of));
  key("j ArrowRight","one step on",()=>run.go(run.step+1));
  key("k ArrowLeft","one step back",()=>run.go(run.step-1));
  key("ArrowDown","",()=>run.go(run.step+1));
  key("ArrowUp","",()=>run.go(run.step-1));
  key("Home","to the start of the run",()=>run.go(-1));
  key("End","to its end",()=>run.run&&run.go(run.run.steps.length-1));
  key("n","next change of what is watched",()=>run.run&&run.change(1));
  key("p","previous change of it",()=>run.run&&run.change(-1));
  key(" ","play the run, or stop it",()=>run.run&&run.run_on());
  key("f","fold or unfold what repeats for ever",()=>run.run&&run.run.loop!==null&&run.fold(!run.folded));
  key("r","the run",()=>tabTo("run"));
  key("g","the drawing",()=>tabTo("graph"));
  key("a","the next answer",()=>data.answers.length&&showAnswer((now+1)%data.answers.length));
  key("/","search",()=>document.getElementById("search")?.focus());
  key("d","light or dark",()=>theme.turn());
  key("?","these keys",showHelp);
  document.addEventListener("keydown",event=>{
    if(event.ctrlKey||event.altKey||event.metaKey||help.open)return;
    if(event.target.closest?.("input:not([type=range]),select,textarea,[role=tree]"))return;
    if(event.target.matches?.("input[type=range]")&&event.key.startsWith("Arrow"))return;
    if(event.key===" "&&event.target.closest?.("button,summary"))return;
    const found=keys.find(one=>one.names.includes(event.key));
    if(found){found.act();event.preventDefault()}
  });
  root.append(h("a",{class:"skip",href:"#main"},"Skip to the report"),top);
  const main=h("main",{id:"main"});
  root.append(main,h("footer",{},`Made by Concord ${data.version}. This page asks for nothing outside of ${data.live?"the program that serves it":"itself"}.`),help,voice);
  if(data.live)side.prepend(...liveBar(run));
  on("answer",at=>showAnswer(at));
  on("live",liveView);
  if(many)main.append(...tasksView());
  else{
    if(source)bench.append(source.element);
    bench.append(side);
    main.append(bench,decided);
  }
  // What needs a look comes first.
  showAnswer(Math.max(0,["VIOLATED","UNDECIDED"].map(word=>data.answers.findIndex(one=>one.word===word)).find(at=>at>=0)??0));
};
start();
