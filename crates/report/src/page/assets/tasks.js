// Many tasks: a table to sort, and how many are decided within which time.
const tasksView=()=>{
  const tasks=data.tasks,columns=[["name","Task"],["word","Verdict"],["seconds","Time"],["engine","Engine"],["bytes","Memory"],["why","Why"]];
  let by="name",down=false;
  const body=h("tbody",{}),filter=h("select",{"aria-label":"Show",id:"filter",onchange:()=>fill()},
    h("option",{value:""},"all"),[...new Set(tasks.map(task=>task.word))].map(word=>h("option",{value:word},word)));
  const search=h("input",{type:"search",placeholder:"Search","aria-label":"Search tasks",id:"search",oninput:()=>fill(),onkeydown:event=>event.stopPropagation()});
  const heads=columns.map(([name,text])=>h("th",{scope:"col",class:name==="seconds"||name==="bytes"?"num":""},
    h("button",{type:"button","data-by":name,onclick:()=>{down=by===name?!down:false;by=name;fill()}},text)));
  const counted=h("span",{class:"count","aria-live":"polite"});
  const fill=()=>{
    const wanted=search.value.toLowerCase();
    const shown=tasks.filter(task=>(!filter.value||task.word===filter.value)&&(!wanted||(task.name+" "+task.why+" "+task.engine).toLowerCase().includes(wanted)));
    const order=(a,b)=>typeof a[by]==="number"?a[by]-b[by]:String(a[by]).localeCompare(String(b[by]),undefined,{numeric:true});
    shown.sort((a,b)=>(down?-1:1)*order(a,b)||a.name.localeCompare(b.name));
    counted.textContent=`${shown.length} of ${tasks.length}`;
    heads.forEach((head,at)=>head.setAttribute("aria-sort",columns[at][0]!==by?"none":down?"descending":"ascending"));
    clear(body).append(...shown.map(task=>h("tr",{class:task.is_wrong?"wrong":""},
      h("td",{},task.link?h("a",{href:encodeURI(task.link)},task.name):task.name),h("td",{},pill(task.word,true)),h("td",{class:"num"},seconds(task.seconds)),
      h("td",{},task.engine),h("td",{class:"num"},task.bytes?`${Math.round(task.bytes/1048576)} MB`:""),h("td",{},task.is_wrong?`expected: ${task.expected}. `:"",task.why))));
  };
  fill();
  const words=[...new Set(tasks.map(task=>task.word))].sort();
  const figures=h("div",{class:"figures"},h("div",{},h("b",{},tasks.length),"tasks"),words.map(word=>h("div",{},h("b",{},tasks.filter(task=>task.word===word).length),word.toLowerCase())),
    tasks.some(task=>task.is_wrong)?h("div",{},h("b",{},tasks.filter(task=>task.is_wrong).length),"against what the task expects"):null);
  return[figures,h("section",{class:"box cactus-box"},h("h3",{},"Decided within which time"),cactus(tasks)),
    h("section",{class:"box tasks","aria-label":"Tasks"},h("div",{class:"bar"},h("label",{},"show ",filter),search,counted),
      h("table",{},h("thead",{},h("tr",{},heads)),body))];
};
// The n-th point: the time within which n tasks are decided, each counted alone.
const cactus=tasks=>{
  const times=tasks.filter(task=>["HOLDS","VIOLATED"].includes(task.word)).map(task=>Math.max(task.seconds,.001)).sort((a,b)=>a-b);
  if(!times.length)return h("p",{},"Nothing was decided.");
  const[w,height,left,bottom]=[900,280,60,34],low=Math.floor(Math.log10(times[0])),high=Math.max(low+1,Math.ceil(Math.log10(times[times.length-1])));
  const x=at=>left+(w-left-20)*at/Math.max(1,times.length),y=time=>12+(height-bottom-12)*(1-(Math.log10(time)-low)/(high-low));
  const marks=[];
  for(let power=low;power<=high;power++){const at=y(10**power);marks.push(s("path",{class:"possible",d:`M${left},${at} L${w-20},${at}`}),s("text",{class:"label",x:left-8,y:at+4,"text-anchor":"end"},power<0?`${1000*10**power} ms`:`${10**power} s`))}
  const path=times.map((time,at)=>`${at?"L":"M"}${x(at+1)},${y(time)}`).join(" ");
  return h("div",{class:"cactus drawn"},s("svg",{viewBox:`0 0 ${w} ${height}`,role:"img","aria-label":`${times.length} tasks decided, the slowest within ${seconds(times[times.length-1])}`},
    marks,s("path",{class:"back",d:path}),times.length<200?times.map((time,at)=>s("circle",{class:"dot",cx:x(at+1),cy:y(time),r:3})):[],
    s("text",{class:"label",x:w-20,y:height-8,"text-anchor":"end"},`tasks decided: ${times.length}`)));
};
