// The texts: coloured lines, what is said about them, search.
class SourceView{
  constructor(){
    this.file=0;this.line=0;this.hits=[];
    this.list=new List("Source",at=>this.draw(at),"src");
    this.list.onchoose=at=>this.go({file:this.file,line:at+1},true);
    this.choice=h("select",{"aria-label":"File",onchange:()=>this.open(Number(this.choice.value))},
      data.sources.map((source,at)=>h("option",{value:at},source.name)));
    this.search=h("input",{type:"search",placeholder:"Search","aria-label":"Search in the source",id:"search",oninput:()=>this.find(0),
      onkeydown:event=>{
        if(event.key==="Enter"){this.find(event.shiftKey?-1:1);event.preventDefault()}
        else if(event.key==="Escape"){this.search.value="";this.find(0);this.list.element.focus()}
        event.stopPropagation()}});
    this.count=h("span",{class:"count","aria-live":"polite",id:"hits"});
    this.noted=button("Next note","Go to the next line about which something is said",()=>this.nextNote());
    this.foot=h("div",{class:"foot"});
    this.element=h("section",{class:"card src-card","aria-label":"Source"},
      h("div",{class:"bar"},data.sources.length>1?this.choice:h("strong",{},data.sources[0].name.split("/").pop()),
        h("span",{class:"room"}),this.noted,this.search,this.count),
      this.list.element,this.foot);
    this.open(0);
  }
  get source(){return data.sources[this.file]}
  open(file){
    this.file=file;this.choice.value=file;this.line=0;this.list.now=-1;
    this.list.element.scrollTop=0;this.list.fill(this.source.lines.length);this.find(0,true);
    this.noted.hidden=!Object.keys(this.source.notes).length;clear(this.foot);
  }
  draw(at){
    const line=at+1,notes=this.source.notes[line]||[],reached=(this.source.reached||{})[line];
    const row=h("div",{class:reached==="unreachable"||notes.some(note=>note.kind==="idle")?"never":""},h("span",{class:"no"},line),
      h("span",{class:"cov "+(reached||""),title:{reached:"a run comes here",unreachable:"no run comes here","not-known":"whether a run comes here is not known"}[reached]}),
      h("span",{class:"code"},this.source.lines[at].map(([text,kind])=>kind?h("span",{class:"k"+kind},text):text)));
    // What matters most first; that all is well is told where there is nothing else to tell.
    const shown=SourceView.ranked(notes).filter((note,nth)=>note.kind!=="idle"&&(nth===0||note.kind!=="ok")).slice(0,3);
    row.append(...shown.map(note=>h("span",{class:"note "+note.kind},rich(note.text.slice(0,160)))));
    if(this.isHit(at))row.classList.add("hit");
    return row;
  }
  static ranked(notes){
    const order=["error","warning","input","invariant","value","note","ok","idle"];
    return[...notes].sort((a,b)=>order.indexOf(a.kind)-order.indexOf(b.kind));
  }
  isHit(at){return this.hits.includes(at)}
  text(at){return this.source.lines[at].map(piece=>piece[0]).join("")}
  find(step,quiet){
    const wanted=this.search.value.toLowerCase();
    if(step===0){
      this.hits=[];
      if(wanted)for(let at=0;at<this.source.lines.length;at++)if(this.text(at).toLowerCase().includes(wanted))this.hits.push(at);
      this.hit=this.hits.findIndex(at=>at+1>=this.line);
      this.list.again();
    }else if(this.hits.length)this.hit=(this.hit+step+this.hits.length)%this.hits.length;
    if(this.hit<0&&this.hits.length)this.hit=0;
    this.count.textContent=wanted?(this.hits.length?`${this.hit+1} of ${this.hits.length}`:"nothing"):"";
    if(this.hits.length&&!quiet)this.go({file:this.file,line:this.hits[this.hit]+1});
  }
  go(at,chosen){
    if(!at)return;
    if(at.file!==this.file)this.open(at.file);
    this.line=at.line;this.list.choose(at.line-1);
    const notes=this.source.notes[at.line]||[];
    clear(this.foot).append(...SourceView.ranked(notes).map(note=>h("div",{},h("span",{class:"note "+note.kind},note.kind),h("span",{},rich(note.text)))));
    if(chosen){
      tell("chosen",at);
      say(`line ${at.line}: ${this.text(at.line-1).trim()}. ${notes.map(note=>note.text).join(". ")}`);
    }
  }
  nextNote(){
    const lines=Object.keys(this.source.notes).map(Number).sort((a,b)=>a-b);
    this.go({file:this.file,line:lines.find(line=>line>this.line)||lines[0]},true);
  }
}
