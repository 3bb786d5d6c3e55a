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
// How a figure grew: a line over time.
const growthBox=()=>{
  if(!data.growth||!data.growth.length)return null;
  const line=one=>{
    const[w,height]=[360,54],first=one.points[0][0],last=one.points[one.points.length-1][0],most=Math.max(1,...one.points.map(point=>point[1]));
    const x=time=>4+(w-8)*(last>first?(time-first)/(last-first):1),y=value=>height-5-(height-12)*value/most;
    const end=one.points[one.points.length-1][1];
    const path=one.points.map(([time,value],at)=>at?`L${x(time)},${y(one.points[at-1][1])} L${x(time)},${y(value)}`:`M${x(time)},${y(value)}`).join(" ");
    return h("li",{},h("span",{class:"what"},one.what,h("b",{},most.toLocaleString("en")+(end<most?` at most`:""))),
      s("svg",{viewBox:`0 0 ${w} ${height}`,role:"img",preserveAspectRatio:"none","aria-label":`${one.what}: from ${one.points[0][1]} to ${end} in ${seconds(last-first)}, at most ${most}`},s("path",{class:"back",d:path})));
  };
  return h("section",{class:"box"},h("h3",{},"What grew while engines worked"),h("ul",{class:"growth"},data.growth.map(line)));
};
// Rounds of refinement: what was checked, the counterexample, why it is none, and the predicates that it led to.
const roundsBox=answer=>{
  const rounds=answer.rounds||[];
  if(!rounds.length)return null;
  const most=Math.max(...rounds.map(round=>round.states),1);
  const list=(texts,wrap)=>texts.length?h("ul",{},texts.map(text=>h("li",{},wrap(text)))):null;
  return h("section",{class:"box wide",id:"rounds"},h("h3",{},"Rounds of refinement"),h("table",{class:"rounds"},
    h("thead",{},h("tr",{},["Round","States","Predicates","Counterexample of the abstraction","Why the code cannot do it","New predicates"].map(text=>h("th",{scope:"col"},text)))),
    h("tbody",{},rounds.map((round,at)=>{
      const bar=h("i",{class:"bar-of"});bar.style.width=Math.round(60*round.states/most)+"px";
      const isReal=round.counterexample.length&&!round.why.length&&!round.found.length;
      return h("tr",{},h("th",{scope:"row"},at+1),h("td",{},bar,round.states),h("td",{},round.predicates),
        h("td",{},round.counterexample.length?h("details",{},h("summary",{},`${round.counterexample.length} step${round.counterexample.length===1?"":"s"}`),h("ol",{class:"code"},round.counterexample.map(text=>h("li",{},text)))):"none: it holds"),
        h("td",{},isReal?"it can: this is the violation":list(round.why,rich)),h("td",{},list(round.found,text=>h("code",{},text))));
    }))));
};
const decidedView=answer=>{
  const facts=answer.facts.length?h("section",{class:"box"},h("h3",{},"Facts"),h("table",{},h("tbody",{},answer.facts.map(([name,value])=>
    h("tr",{},h("th",{scope:"row"},name),h("td",{},value)))))):null;
  const boxes=[facts,...answer.sections.map(sectionBox),phasesBox(),growthBox()].filter(Boolean),rounds=roundsBox(answer);
  return boxes.length?[h("h2",{},"How it was decided"),rounds,h("div",{class:"grid"},boxes)].filter(Boolean):[];
};
