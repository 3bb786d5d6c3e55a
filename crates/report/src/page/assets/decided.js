// How it was decided: who worked when, facts, what it rests on.
const seconds=value=>value<.0995?`${Math.round(value*1000)} ms`:value<99.5?`${value.toFixed(1)} s`:`${Math.round(value/60)} min`;
const phasesBox=()=>{
  if(!data.phases.length)return null;
  const names=[...new Set(data.phases.map(phase=>phase.name))],end=Math.max(data.seconds,...data.phases.map(phase=>phase.to),.001);
  const rows=names.map(name=>{
    const own=data.phases.filter(phase=>phase.name===name),sum=own.reduce((sum,phase)=>sum+phase.to-phase.from,0);
    const track=h("div",{class:"track",role:"img","aria-label":`${name}: ${seconds(sum)}`},own.slice(0,400).map(phase=>{
      const bar=h("i",{title:`${phase.subject}: ${seconds(phase.from)} to ${seconds(phase.to)}`});
      bar.style.left=100*phase.from/end+"%";bar.style.width=100*(phase.to-phase.from)/end+"%";
      return bar;
    }));
    return[h("span",{},name),track,h("span",{class:"time"},seconds(sum))];
  });
  return h("section",{class:"box"},h("h3",{},`Who worked when (${seconds(end)} in all; engines work beside each other)`),h("div",{class:"gantt"},rows));
};
const sectionBox=section=>h("section",{class:"box"},h("h3",{},section.title),
  h("ul",{class:section.is_code?"code":""},section.lines.map(([text,at])=>h("li",{},section.is_code?text:rich(text),at?" ":"",placeLink(at)))));
const decidedView=answer=>{
  const facts=answer.facts.length?h("section",{class:"box"},h("h3",{},"Facts"),h("table",{},h("tbody",{},answer.facts.map(([name,value])=>
    h("tr",{},h("th",{scope:"row"},name),h("td",{},value)))))):null;
  const boxes=[facts,...answer.sections.map(sectionBox),phasesBox()].filter(Boolean);
  return boxes.length?[h("h2",{},"How it was decided"),h("div",{class:"grid"},boxes)]:[];
};
