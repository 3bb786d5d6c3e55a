// A list of which only what is visible is drawn: rows of one height. For printers all of it is drawn.
const ROW=22;
class List{
  constructor(label,draw,kind){
    this.draw=draw;this.count=0;this.now=-1;this.drawn=new Map();this.isWhole=false;
    this.rows=h("div",{class:"rows",role:"presentation"});
    this.element=h("div",{class:"list "+kind,tabindex:"0",role:"listbox","aria-label":label},this.rows);
    this.id="list"+(List.made=(List.made||0)+1);
    this.element.addEventListener("scroll",()=>this.later(),{passive:true});
    new ResizeObserver(()=>this.later()).observe(this.element);
    this.element.addEventListener("click",event=>{
      const row=event.target.closest(".row");
      if(row&&!event.target.closest("button"))this.onchoose(Number(row.dataset.at));
    });
    this.onchoose=()=>{};
    List.all.push(this);
  }
  later(){if(!this.asked){this.asked=true;requestAnimationFrame(()=>{this.asked=false;this.show()})}}
  fill(count){this.count=count;for(const row of this.drawn.values())row.remove();this.drawn.clear();
    this.rows.style.height=count*ROW+"px";this.now=Math.min(this.now,count-1);this.show()}
  show(){
    const top=this.element.scrollTop,height=this.element.clientHeight;
    let from=Math.max(0,Math.floor(top/ROW)-12),to=Math.min(this.count,Math.ceil((top+height)/ROW)+12);
    if(this.isWhole){from=0;to=this.count}
    for(const[at,row]of this.drawn)if(at<from||at>=to){row.remove();this.drawn.delete(at)}
    const fresh=document.createDocumentFragment();
    for(let at=from;at<to;at++)if(!this.drawn.has(at)){
      const row=this.draw(at);
      row.classList.add("row");row.dataset.at=at;row.id=this.id+"-"+at;
      row.setAttribute("role","option");row.setAttribute("aria-posinset",at+1);row.setAttribute("aria-setsize",this.count);
      row.setAttribute("aria-selected",at===this.now);
      row.style.top=at*ROW+"px";
      if(at===this.now)row.classList.add("now");
      this.drawn.set(at,row);fresh.append(row);
    }
    if(this.isWhole){for(let at=from;at<to;at++)fresh.append(this.drawn.get(at))}
    this.rows.append(fresh);
  }
  choose(at){
    const mark=(which,is)=>{const row=this.drawn.get(which);if(row){row.classList.toggle("now",is);row.setAttribute("aria-selected",is)}};
    mark(this.now,false);this.now=at;
    if(at>=0){
      const top=at*ROW,low=this.element.scrollTop,high=low+this.element.clientHeight;
      if(top<low+ROW)this.element.scrollTop=Math.max(0,top-this.element.clientHeight/3);
      else if(top+2*ROW>high)this.element.scrollTop=top-this.element.clientHeight*2/3;
    }
    this.show();mark(at,true);
    if(at>=0)this.element.setAttribute("aria-activedescendant",this.id+"-"+at);
  }
  again(){for(const row of this.drawn.values())row.remove();this.drawn.clear();this.show()}
}
List.all=[];
// What is printed is all there is, but for very long lists.
const MOST_PRINTED=4000;
addEventListener("beforeprint",()=>{for(const list of List.all)if(list.count<=MOST_PRINTED){list.isWhole=true;list.again()}});
addEventListener("afterprint",()=>{for(const list of List.all)if(list.isWhole){list.isWhole=false;list.again()}});
