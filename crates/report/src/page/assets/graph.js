// Drawings that were laid out before: move, zoom, search, follow a run.
class GraphView{
  constructor(){
    this.choice=h("select",{"aria-label":"Drawing",id:"graphs",onchange:()=>this.open(Number(this.choice.value))});
    this.search=h("input",{type:"search",placeholder:"Search","aria-label":"Search in the drawing",oninput:()=>this.find(0),
      onkeydown:event=>{if(event.key==="Enter"){this.find(event.shiftKey?-1:1);event.preventDefault()}event.stopPropagation()}});
    this.count=h("span",{class:"count","aria-live":"polite"});
    this.colour=button("Coverage","Colour by the lines that runs reach",()=>{this.isCovered=!this.isCovered;this.cover()},{"aria-pressed":"false"});
    this.area=h("div",{class:"graph",tabindex:"0",role:"group"});
    this.element=h("div",{class:"pane",id:"pane-graph"},
      h("div",{class:"bar"},this.choice,h("span",{class:"room"}),this.colour,this.outer=button("↑ whole","To the drawing that this is a part of (Backspace)",()=>this.toOuter(),{id:"outer",hidden:true}),button("−","Smaller (-)",()=>this.zoom(1.25)),
        button("+","Larger (+)",()=>this.zoom(.8)),button("Fit","All of it (0)",()=>this.fit()),this.search,this.count),this.area);
    this.held=null;
    this.area.addEventListener("pointerdown",event=>{if(event.button===0)this.held={x:event.clientX,y:event.clientY,view:{...this.view},moved:false}});
    this.area.addEventListener("pointermove",event=>{
      if(!this.held)return;
      const scale=this.view.w/this.area.clientWidth,dx=event.clientX-this.held.x,dy=event.clientY-this.held.y;
      if(!this.held.moved&&Math.abs(dx)+Math.abs(dy)<4)return;
      if(!this.held.moved){this.held.moved=true;this.area.setPointerCapture(event.pointerId);this.area.classList.add("held")}
      this.look({...this.view,x:this.held.view.x-dx*scale,y:this.held.view.y-dy*scale});
    });
    const drop=()=>{this.wasMoved=this.held&&this.held.moved;this.held=null;this.area.classList.remove("held")};
    this.area.addEventListener("pointerup",drop);this.area.addEventListener("pointercancel",drop);
    this.area.addEventListener("wheel",event=>{
      event.preventDefault();
      if(event.ctrlKey||event.metaKey||!event.shiftKey&&Math.abs(event.deltaY)>Math.abs(event.deltaX)&&!event.deltaX){
        const box=this.area.getBoundingClientRect();
        this.zoom(Math.exp(Math.max(-60,Math.min(60,event.deltaY))*.004),(event.clientX-box.left)/box.width,(event.clientY-box.top)/box.height);
      }else{const scale=this.view.w/this.area.clientWidth;this.look({...this.view,x:this.view.x+event.deltaX*scale,y:this.view.y+event.deltaY*scale})}
    },{passive:false});
    this.area.addEventListener("keydown",event=>{
      const by=(x,y)=>this.look({...this.view,x:this.view.x+x*this.view.w/10,y:this.view.y+y*this.view.h/10});
      const act={Backspace:()=>this.toOuter(),"+":()=>this.zoom(.8),"=":()=>this.zoom(.8),"-":()=>this.zoom(1.25),"0":()=>this.fit(),
        ArrowLeft:()=>by(-1,0),ArrowRight:()=>by(1,0),ArrowUp:()=>by(0,-1),ArrowDown:()=>by(0,1)}[event.key];
      if(act){act();event.preventDefault();event.stopPropagation()}
    });
    this.area.addEventListener("click",event=>{
      const box=event.target.closest(".bx");
      if(box&&!this.wasMoved)this.chosen(Number(box.dataset.at),true);
    });
    new ResizeObserver(()=>{if(this.graph&&this.area.clientWidth&&!this.wasSeen){this.wasSeen=true;this.fit()}else if(this.graph)this.look(this.view)}).observe(this.area);
    this.open(-1);
  }
  list(graphs){
    this.graphs=graphs;
    clear(this.choice).append(...graphs.map(at=>h("option",{value:at},this.nameOf(at))));
    this.choice.hidden=graphs.length<2;
    if(graphs.length)this.open(graphs.includes(this.at)?this.at:graphs[0]);
  }
  nameOf(at){const graph=data.graphs[at];return(graph.of||graph.title)+(graph.part?" · "+graph.part:"")}
  toOuter(){
    if(!this.graph||this.graph.up===undefined)return;
    const inner=this.at;this.open(this.graph.up);
    const box=Object.entries(this.graph.opens||{}).find(one=>one[1]===inner);
    if(box){this.mark("hit",[Number(box[0])]);this.see(Number(box[0]))}
  }
  // The drawing of a function, and of its parts the one that has the step.
  ofStep(step){
    const all=this.graphs.filter(one=>data.graphs[one].of===step.f);
    return all.find(one=>data.graphs[one].keys[step.k]!==undefined)??all[0];
  }
  open(at){
    if(at<0||at===this.at&&this.graph)return;
    this.at=at;this.graph=data.graphs[at];this.choice.value=at;
    const graph=this.graph,[pad,top,row,gutter]=[8,19,16,34];
    const arrows=graph.arrows.map(one=>[s("path",{class:one.kind,d:one.d}),s("path",{class:"tip "+one.kind,d:one.tip})]);
    this.boxes=graph.boxes.map((one,index)=>{
      const numbered=one.rows.some(line=>line.line!==undefined);
      const group=s("g",{class:"bx "+one.kind+((graph.opens||{})[index]!==undefined?" closed":""),"data-at":index},s("rect",{x:one.x,y:one.y,width:one.w,height:one.h,rx:4}));
      one.rows.forEach((line,nth)=>{
        const text=line.text.trimStart(),indent=(line.text.length-text.length)*7.23,y=one.y+top+nth*row;
        if(line.line!==undefined)group.append(s("text",{class:"number",x:one.x+pad+gutter-10,y,"text-anchor":"end"},line.line));
        group.append(s("text",{class:line.kind,x:one.x+pad+(numbered?gutter:0)+indent,y},text));
      });
      return group;
    });
    const labels=graph.arrows.filter(one=>one.label).map(one=>{
      const width=one.label.length*7.23*11/12+6;
      return[s("rect",{class:"under",x:one.x-width/2,y:one.y-8,width,height:16}),s("text",{class:"label",x:one.x,y:one.y+4,"text-anchor":"middle"},one.label)];
    });
    this.outer.hidden=graph.up===undefined;
    this.lines=arrows;
    this.svg=s("svg",{role:"img","aria-label":`${graph.title}: ${graph.boxes.length} boxes, ${graph.arrows.length} arrows`},arrows,this.boxes,labels);
    clear(this.area).append(this.svg);
    this.area.setAttribute("aria-label","Drawing: "+graph.title+". Arrow keys move, plus and minus zoom, 0 shows all.");
    this.colour.hidden=graph.file===null||!Object.keys(data.sources[graph.file].reached||{}).length;
    this.wasSeen=this.area.clientWidth>0;
    this.fit();this.cover();this.been();this.find(0,true);
  }
  look(view){
    this.view=view;
    this.svg.setAttribute("viewBox",`${view.x} ${view.y} ${view.w} ${view.h}`);
  }
  ratio(){return this.area.clientWidth&&this.area.clientHeight?this.area.clientHeight/this.area.clientWidth:.7}
  fit(){
    if(!this.graph)return;
    const ratio=this.ratio(),graph=this.graph;
    // Large drawings begin at their top, in letters that can be read.
    const most=(this.area.clientWidth||600)*1.7;
    let w=Math.max(graph.width,graph.height/ratio,(this.area.clientWidth||600)*.8);
    const isLarge=w>most;
    if(isLarge)w=most;
    const entry=graph.boxes[0],middle=isLarge&&entry?entry.x+entry.w/2:graph.width/2;
    this.look({x:middle-w/2,y:isLarge?0:Math.min(0,graph.height/2-w*ratio/2),w,h:w*ratio});
  }
  zoom(by,x=.5,y=.5){
    const view=this.view,w=Math.max(80,Math.min(view.w*by,this.graph.width*6+2000)),factor=w/view.w;
    this.look({x:view.x+view.w*x*(1-factor),y:view.y+view.h*y*(1-factor),w,h:w*this.ratio()});
  }
  see(index){
    const box=this.graph.boxes[index],view=this.view;
    const isIn=box.x>view.x&&box.x+box.w<view.x+view.w&&box.y>view.y&&box.y+box.h<view.y+view.h;
    if(!isIn)this.look({...view,x:box.x+box.w/2-view.w/2,y:box.y+box.h/2-view.h/2});
  }
  mark(name,indices){
    if(this.svg)for(const old of this.svg.querySelectorAll("."+name))old.classList.remove(name);
    for(const index of indices)if(this.boxes[index])this.boxes[index].classList.add(name);
  }
  // Which box a step of a run is in; another function's drawing is opened for it.
  step(step,index,run){
    this.run=run;this.index=index;
    if(!this.graphs||!this.graphs.length)return;
    if(run.has_calls){
      if(!step||!step.f)return this.mark("at",[]);
      const at=this.ofStep(step);
      if(at===undefined)return this.mark("at",[]);
      this.open(at);
      const box=this.graph.keys[step.k];
      this.been();this.mark("at",box===undefined?[]:[box]);
      if(box!==undefined)this.see(box);
      return;
    }
    const moved=step&&step.t||[],lane=moved.find(one=>run.graphs[one]!==null&&run.graphs[one]!==undefined);
    const isShown=moved.some(one=>run.graphs[one]===this.at);
    if(lane!==undefined&&!isShown&&this.follows!==false)this.open(run.graphs[lane]);
    this.been();
    const own=run.graphs.indexOf(this.at);
    if(own>=0){
      const state=this.state(run,own,index),box=this.graph.keys[state];
      this.mark("at",box===undefined?[]:[box]);
      if(box!==undefined)this.see(box);
    }else this.mark("at",[]);
  }
  state(run,lane,until){
    const name=run.lanes[lane];
    let state=(run.start.find(one=>one[0]===name)||[])[1];
    for(let at=0;at<=until;at++)for(const[own,value]of run.steps[at].v||[])if(own===name)state=value;
    return state;
  }
  // The boxes that the run came through so far.
  been(){
    const run=this.run,boxes=new Set();
    if(!run||!this.graph)return;
    if(run.has_calls){for(let at=0;at<=this.index;at++){const step=run.steps[at];if(step.f===this.graph.of&&this.graph.keys[step.k]!==undefined)boxes.add(this.graph.keys[step.k])}}
    else{
      const lane=run.graphs.indexOf(this.at),name=run.lanes[lane];
      if(lane>=0){
        const add=state=>{if(this.graph.keys[state]!==undefined)boxes.add(this.graph.keys[state])};
        add((run.start.find(one=>one[0]===name)||[])[1]);
        for(let at=0;at<=this.index;at++)for(const[own,value]of run.steps[at].v||[])if(own===name)add(value);
      }
    }
    this.mark("been",boxes);
  }
  line(at){
    const graphs=(this.graphs||[]).filter(one=>data.graphs[one].file===at.file);
    for(const one of[this.at,...graphs]){
      if(!graphs.includes(one))continue;
      const index=data.graphs[one].boxes.findIndex(box=>box.rows.some(row=>row.line===at.line));
      if(index>=0){this.open(one);this.mark("hit",[index]);this.see(index);return}
    }
  }
  chosen(index,isClick){
    const inner=(this.graph.opens||{})[index];
    if(isClick&&inner!==undefined){this.open(inner);say("opened: "+this.nameOf(inner));return}
    const row=this.graph.boxes[index].rows.find(one=>one.line!==undefined);
    this.mark("hit",[index]);
    if(row&&this.graph.file!==null)tell("line",{file:this.graph.file,line:row.line});
    say(this.graph.boxes[index].rows.map(one=>one.text).join(", "));
  }
  find(step,quiet){
    const wanted=this.search.value.toLowerCase();
    if(step===0){
      this.hits=wanted?this.graph.boxes.map((box,at)=>box.rows.some(row=>row.text.toLowerCase().includes(wanted))?at:-1).filter(at=>at>=0):[];
      this.hit=0;
    }else if(this.hits.length)this.hit=(this.hit+step+this.hits.length)%this.hits.length;
    this.count.textContent=wanted?(this.hits.length?`${this.hit+1} of ${this.hits.length}`:"nothing"):"";
    if(quiet&&!wanted)return;
    this.mark("hit",this.hits.length?[this.hits[this.hit]]:[]);
    if(this.hits.length)this.see(this.hits[this.hit]);
  }
  cover(){
    this.colour.setAttribute("aria-pressed",!!this.isCovered);
    const graph=this.graph;
    if(!graph)return;
    const known=graph.file===null?{}:data.sources[graph.file].reached||{},yes=[],no=[];
    // That a run reaches a line which several boxes share says nothing of one of them.
    const shared={};
    for(const box of graph.boxes)for(const line of new Set(box.rows.map(row=>row.line)))shared[line]=(shared[line]||0)+1;
    if(this.isCovered)graph.boxes.forEach((box,at)=>{
      const all=box.rows.map(row=>known[row.line]==="reached"&&shared[row.line]>1?null:known[row.line]).filter(Boolean);
      if(all.includes("reached"))yes.push(at);else if(all.includes("unreachable"))no.push(at);
    });
    this.mark("reached",yes);this.mark("unreached",no);
  }
}
