// A run as a timeline: a column per thread or component, what has which value, who called whom.
class RunView{
  constructor(){
    this.run=null;this.step=-1;this.folded=true;
    this.list=new List("Steps of the run",at=>this.draw(at),"run");
    this.list.onchoose=at=>this.goRow(at);
    this.first=button("|◀","To the start (Home)",()=>this.go(-1));
    this.back=button("◀","One step back (k or ←)",()=>this.go(this.step-1));
    this.next=button("▶","One step on (j or →)",()=>this.go(this.step+1));
    this.last=button("▶|","To the end (End)",()=>this.go(this.run.steps.length-1));
    this.play=button("Play","Play the run, a step at a time (space)",()=>this.run_on(),{id:"play","aria-pressed":"false"});
    this.where=h("span",{class:"count",id:"step"});
    this.slide=h("input",{type:"range",min:-1,"aria-label":"Step",oninput:()=>this.go(Number(this.slide.value))});
    this.watch=h("select",{"aria-label":"Watched name",id:"watch",onchange:()=>{this.show();this.values()}});
    this.prior=button("◁","Previous change of what is watched (p)",()=>this.change(-1));
    this.later=button("▷","Next change of what is watched (n)",()=>this.change(1));
    this.choice=h("select",{"aria-label":"Run",id:"runs",onchange:()=>this.open(this.runs,Number(this.choice.value))});
    this.head=h("div",{class:"lanes","aria-hidden":"true"});
    this.list.element.addEventListener("scroll",()=>{this.head.scrollLeft=this.list.element.scrollLeft},{passive:true});
    this.end=h("div",{class:"end"});
    this.valuesBox=h("section",{"aria-label":"Values",tabindex:"0"});
    this.callsBox=h("section",{"aria-label":"Calls and inputs",tabindex:"0"});
    this.element=h("div",{class:"pane",id:"pane-run"},
      h("div",{class:"bar"},this.choice,this.first,this.back,this.next,this.last,this.play,this.where,h("span",{class:"room"}),
        h("label",{},"watch ",this.watch),this.prior,this.later),
      h("div",{class:"bar slide"},this.slide),this.head,this.list.element,this.end,h("div",{class:"below"},this.valuesBox,this.callsBox));
    this.slide.style.width="100%";
  }
  open(runs,at){
    this.runs=runs;this.at=at;this.run=runs[at];this.step=-1;this.folded=true;
    this.choice.hidden=runs.length<2;
    clear(this.choice).append(...runs.map((run,index)=>h("option",{value:index},`run ${index+1}: ${run.title||run.end.split("\n")[0]}`.slice(0,60))));
    this.choice.value=at;
    const names=new Set(this.run.start.map(one=>one[0]));
    for(const step of this.run.steps)for(const[name]of step.v||[])names.add(name.replace(/^\d+:\d+\|/,""));
    clear(this.watch).append(h("option",{value:""},"nothing"),...[...names].sort().slice(0,2000).map(name=>h("option",{value:name},name)));
    this.watch.disabled=!names.size;
    const lanes=this.run.lanes;
    const widest=Math.max(4,...lanes.map(name=>name.length));
    this.element.style.setProperty("--lane",Math.min(120,Math.max(34,Math.min(widest*7.3+14,360/Math.max(1,lanes.length))))+"px");
    const places=run=>run.steps.some(step=>step.p)&&Math.max(7,...run.steps.slice(0,500).map(step=>step.p&&data.sources.length>1?lineName(step.p).length:0));
    this.element.style.setProperty("--where",(places(this.run)?Math.min(170,places(this.run)*7.3+14):6)+"px");
    this.locksOf();
    clear(this.head).append(h("span",{class:"pad"}),...lanes.map(name=>h("span",{class:"lane",title:name},name)),
      ...this.locks.map((name,at)=>h("span",{class:"lock"},h("i",{class:"held l"+at%6}),`holds ${name}`)));
    this.head.hidden=lanes.length<2;
    clear(this.end).append(...rich(this.run.end));this.end.hidden=!this.run.end;
    this.slide.max=this.run.steps.length-1;
    this.show();
    this.been=null;
    tell("run",this.run);
    this.go(-1);
  }
  // Who holds which lock after each step; the same object as before where nothing changed.
  locksOf(){
    const names=new Set();
    for(const step of this.run.steps)for(const[name]of step.l||[])names.add(name);
    this.locks=[...names];this.held=[];
    if(!this.locks.length||this.run.lanes.length<2)return;
    let now=this.run.lanes.map(()=>[]);
    for(const step of this.run.steps){
      for(const[name,isTaken]of step.l||[]){
        const lane=(step.t||[0])[0],lock=this.locks.indexOf(name);
        now=now.map((one,at)=>at!==lane?one:isTaken?[...one.filter(other=>other!==lock),lock]:one.filter(other=>other!==lock));
      }
      this.held.push(now);
    }
  }
  run_on(){
    const stop=()=>{clearInterval(this.clock);this.clock=null;this.play.setAttribute("aria-pressed","false");this.play.textContent="Play"};
    if(this.clock)return stop();
    if(!this.run||!this.run.steps.length)return;
    if(this.step>=this.run.steps.length-1)this.go(-1);
    this.play.setAttribute("aria-pressed","true");this.play.textContent="Stop";
    this.clock=setInterval(()=>{if(this.step>=this.run.steps.length-1||!this.element.isConnected)stop();else this.go(this.step+1)},600);
  }
  // Rows: the steps, and a line where the cycle begins; the cycle can be folded.
  show(){
    const run=this.run,from=run.loop;
    const count=run.steps.length+(from===null?0:1)-(from!==null&&this.folded?run.steps.length-from:0);
    this.list.fill(count);
  }
  stepOfRow(row){const from=this.run.loop;if(from===null||row<from)return row;return row===from?null:row-1}
  rowOfStep(step){const from=this.run.loop;return from===null||step<from?step:step+1}
  goRow(row){
    const step=this.stepOfRow(row);
    if(step===null)this.fold(!this.folded);else this.go(step);
  }
  fold(folded){this.folded=folded;this.show();if(folded&&this.step>=this.run.loop)this.go(this.run.loop-1)}
  draw(row){
    const run=this.run,at=this.stepOfRow(row);
    if(at===null){
      const length=run.steps.length-run.loop;
      return h("div",{class:"sign","aria-expanded":!this.folded},h("span",{class:"text"},
        `${this.folded?"▸":"▾"} then for ever: ${length} step${length===1?"":"s"}`));
    }
    const step=run.steps[at],lanes=step.t||[];
    const low=Math.min(...lanes),high=Math.max(...lanes);
    const element=h("div",{class:(step.s?"silent ":"")+(run.loop!==null&&at>=run.loop?"cycle":"")},
      h("span",{class:"no"},at+1),h("span",{class:"where"},step.p?`${data.sources.length>1?lineName(step.p):"line "+step.p.line}`:""));
    if(run.lanes.length>1)for(let lane=0;lane<run.lanes.length;lane++){
      const joint=lanes.length>1&&lane>=low&&lane<=high;
      element.append(h("span",{class:"lane"+(joint?" joint":"")+(joint&&lane===low?" first":"")+(joint&&lane===high?" last":"")},
        lanes.includes(lane)?h("i",{}):null,
        ((this.held[at]||[])[lane]||[]).map((lock,nth)=>{const bar=h("i",{class:"held l"+lock%6,title:`${run.lanes[lane]} holds ${this.locks[lock]}`});bar.style.left=`calc(50% + ${9+nth*6}px)`;return bar})));
    }
    const text=h("span",{class:"text"},step.x);
    if(step.d)text.style.paddingLeft=6+14*Math.min(step.d,20)+"px";
    element.append(text);
    const changes=(step.v||[]).map(([name,value])=>[name.replace(/^\d+:\d+\|/,""),value]).filter(([name,value])=>!step.x.includes(name)&&!/\.c:\d+$/.test(value));
    if(changes.length)element.append(h("span",{class:"change"},changes.map(([name,value])=>value===null?`−${name}`:`${name} → ${value}`).join("   ").slice(0,300)));
    return element;
  }
  go(step,quiet){
    if(!this.run)return;
    step=Math.max(-1,Math.min(step,this.run.steps.length-1));
    if(this.run.loop!==null&&step>=this.run.loop&&this.folded){this.folded=false;this.show()}
    this.step=step;this.list.choose(step<0?-1:this.rowOfStep(step));
    if(step<0)this.list.element.scrollTop=0;
    const total=this.run.steps.length,now=this.run.steps[step];
    this.where.textContent=step<0?`before step 1 of ${total}`:`step ${step+1} of ${total}`;
    this.slide.value=step;this.slide.setAttribute("aria-valuetext",this.where.textContent);
    this.first.disabled=this.back.disabled=step<0;this.next.disabled=this.last.disabled=step>=total-1;
    this.values();this.calls();
    if(!quiet)tell("step",now||null,step,this.run);
    say(`${this.where.textContent}. ${now?now.x:""}${now&&now.p?", line "+now.p.line:""}${step===total-1?". "+this.run.end:""}`);
  }
  // What has which value after a step: the changes until then, without the variables of calls that have ended.
  valuesAt(step){
    const values=new Map(this.run.start),fresh=new Set();
    for(let at=0;at<=step;at++){
      const one=this.run.steps[at];
      if(this.run.has_calls){
        const thread=(one.t||[0])[0],depth=one.d||0;
        for(const name of values.keys()){
          const local=/^(\d+):(\d+)\|/.exec(name);
          if(local&&Number(local[1])===thread&&Number(local[2])>depth)values.delete(name);
        }
      }
      fresh.clear();
      for(const[name,value]of one.v||[]){if(value===null)values.delete(name);else values.set(name,value);fresh.add(name)}
    }
    return{values,fresh};
  }
  values(){
    const{values,fresh}=this.valuesAt(this.step);
    const now=this.run.steps[this.step],thread=now?(now.t||[0])[0]:0,depth=now?now.d||0:0;
    const rows=[];
    for(const[name,value]of values){
      const local=/^(\d+):(\d+)\|(.*)$/s.exec(name);
      if(local&&(Number(local[1])!==thread||Number(local[2])!==depth))continue;
      const shown=local?local[3]:name;
      rows.push({shown,value,isNew:fresh.has(name),isLocal:!!local});
    }
    rows.sort((a,b)=>Number(b.isNew)-Number(a.isNew)||Number(b.isLocal)-Number(a.isLocal)||(this.run.has_calls?a.shown.localeCompare(b.shown):0));
    const most=400,left=rows.length-most;
    clear(this.valuesBox).append(h("h3",{},this.run.has_calls?"Values":"State"),
      rows.length?h("table",{},h("tbody",{},rows.slice(0,most).map(row=>h("tr",{class:(row.isNew?"new ":"")+(row.shown===this.watch.value?"watched":"")},
        h("td",{},row.shown),h("td",{},row.value))))):h("p",{class:"count"},"Nothing is written yet."),
      left>0?h("p",{},`… and ${left} more`):"");
  }
  calls(){
    const run=this.run,box=clear(this.callsBox);
    if(run.has_calls){
      const now=run.steps[this.step],frames=[];
      if(now){
        const thread=(now.t||[0])[0];
        let depth=now.d||0;
        frames.push(h("li",{},(now.f?now.f+" ":""),placeLink(now.p)));
        for(let at=this.step-1;at>=0&&depth>0;at--){
          const one=run.steps[at];
          if((one.t||[0])[0]===thread&&(one.d||0)<depth){depth=one.d||0;frames.push(h("li",{},(one.f?one.f+": ":"")+one.x+" ",placeLink(one.p)))}
        }
      }
      const held=((this.held[this.step]||[])[(run.steps[this.step]&&run.steps[this.step].t||[0])[0]]||[]).map(lock=>this.locks[lock]);
      if(held.length)box.append(h("p",{class:"mono"},`holds ${held.join(", ")}`));
      box.append(h("h3",{},"Calls, innermost first"),frames.length?h("ol",{},frames):h("p",{class:"count"},"Not started."));
    }
    if(run.inputs.length){
      const most=300;
      box.append(h("h3",{},"Inputs"),h("table",{class:"inputs"},h("tbody",{},run.inputs.slice(0,most).map(([name,value,at])=>
        h("tr",{},h("td",{},name),h("td",{},value),h("td",{},placeLink(at)))))));
      if(run.inputs.length>most)box.append(h("p",{},`… and ${run.inputs.length-most} more`));
    }
    if(!run.has_calls&&run.lanes.length){
      const now=run.steps[this.step];
      box.append(h("h3",{},"Who moves"),now?h("p",{class:"mono"},`${(now.t||[]).map(lane=>run.lanes[lane]).join(", ")||"nobody"}`):h("p",{class:"count"},"Not started."));
    }
  }
  change(direction){
    const name=this.watch.value;
    const is=step=>(step.v||[]).some(([own])=>own===name||own.replace(/^\d+:\d+\|/,"")===name);
    for(let at=this.step+direction;at>=0&&at<this.run.steps.length;at+=direction)
      if(name?is(this.run.steps[at]):(this.run.steps[at].v||[]).length){this.go(at);return}
    say("no further change");
  }
  // The next step at a line, from where the run is.
  toLine(at){
    const run=this.run;if(!run)return;
    const is=step=>step.p&&step.p.file===at.file&&step.p.line===at.line;
    for(let i=1;i<=run.steps.length;i++){
      const step=(this.step+i+run.steps.length)%run.steps.length;
      if(is(run.steps[step])){this.go(step,true);tell("mark",run.steps[step],run);return}
    }
  }
}
// A strategy to unfold: what the implementation does, and every answer of the specification.
const treeView=tree=>{
  const item=(at,depth)=>{
    const node=tree.nodes[at],group=h("ul",{role:"group",hidden:true});
    const mark=h("span",{class:"fold","aria-hidden":"true"},node.children.length?"▸":"·");
    const element=h("li",{role:"treeitem",tabindex:depth===0&&at===tree.roots[0]?"0":"-1","aria-expanded":node.children.length?"false":null,"aria-level":depth+1},
      h("div",{class:"node",onclick:()=>open()},mark,h("span",{},node.text),h("code",{},`${node.implementation} against ${node.specification}`)),group);
    const open=is=>{
      if(!node.children.length)return;
      const wanted=is===undefined?group.hidden:is;
      if(wanted&&!group.firstChild)group.append(...node.children.map(child=>item(child,depth+1)));
      group.hidden=!wanted;mark.textContent=wanted?"▾":"▸";element.setAttribute("aria-expanded",wanted);
    };
    element.open=open;
    return element;
  };
  const box=h("div",{class:"tree",id:"tree"},h("p",{},"Whatever the specification answers, it cannot follow:"),
    h("ul",{role:"tree","aria-label":"Strategy"},tree.roots.map(root=>item(root,0))));
  box.addEventListener("keydown",event=>{
    const now=document.activeElement.closest("[role=treeitem]");if(!now)return;
    const all=[...box.querySelectorAll("[role=treeitem]")].filter(one=>one.offsetParent),at=all.indexOf(now);
    const to=one=>{if(one){now.tabIndex=-1;one.tabIndex=0;one.focus()}};
    const act={ArrowDown:()=>to(all[at+1]),ArrowUp:()=>to(all[at-1]),Home:()=>to(all[0]),End:()=>to(all[all.length-1]),
      ArrowRight:()=>now.getAttribute("aria-expanded")==="false"?now.open(true):to(all[at+1]),
      ArrowLeft:()=>now.getAttribute("aria-expanded")==="true"?now.open(false):to(now.parentElement.closest("[role=treeitem]")),
      Enter:()=>now.open()," ":()=>now.open()}[event.key];
    if(act){act();event.preventDefault();event.stopPropagation()}
  });
  const first=box.querySelector("[role=treeitem]");if(first)first.open(true);
  return box;
};
