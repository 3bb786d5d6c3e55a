// Elements from names and texts. Texts only ever become text.
const data=JSON.parse(document.getElementById("report").textContent);
const put=(element,attributes,children)=>{
  for(const[name,value]of Object.entries(attributes||{})){
    if(value===undefined||value===null||value===false)continue;
    if(name.startsWith("on"))element.addEventListener(name.slice(2),value);
    else element.setAttribute(name,value===true?"":String(value));
  }
  for(const child of children.flat(Infinity))if(child!==null&&child!==undefined&&child!==false)
    element.append(child instanceof Node?child:document.createTextNode(String(child)));
  return element;
};
const h=(tag,attributes,...children)=>put(document.createElement(tag),attributes,children);
const s=(tag,attributes,...children)=>put(document.createElementNS("http://www.w3.org/2000/svg",tag),attributes,children);
const clear=element=>{while(element.firstChild)element.firstChild.remove();return element};
const pill=(word,small)=>h("span",{class:"pill "+word.toLowerCase().split(" ")[0]+(small?" small":"")},word);
// What stands in backquotes is code.
const rich=text=>text.split("`").map((part,at)=>at%2?h("code",{},part):part);
const button=(text,title,onclick,more)=>h("button",{type:"button",title,"aria-label":title,onclick,...more},text);
// One place that a screen reader speaks.
const voice=h("div",{class:"hidden","aria-live":"polite",id:"voice"});
let speaking=0;
const say=text=>{clearTimeout(speaking);speaking=setTimeout(()=>{voice.textContent=text},120)};
// Who wants to hear that a line, a step or an answer was chosen.
const ears={};
const on=(what,ear)=>(ears[what]=ears[what]||[]).push(ear);
const tell=(what,...rest)=>{for(const ear of ears[what]||[])ear(...rest)};
const lineName=at=>at?`${data.sources[at.file].name.split("/").pop()}:${at.line}`:"";
const placeLink=at=>at?h("button",{type:"button",class:"link",onclick:()=>tell("line",at)},lineName(at)):null;
const keys=[];
const key=(names,what,act)=>keys.push({names:names===" "?[" "]:names.split(" "),what,act});
