// A served page: choose actions of a model, or inputs of a program.
const live={run:null,choices:[],inputs:[]};
const ask=async(name,body)=>{
  try{
    const reply=await fetch(name,{method:"POST",headers:{"Content-Type":"application/json"},body:JSON.stringify(body)});
    const text=await reply.text();
    let value;try{value=JSON.parse(text)}catch{value={error:text}}
    if(!reply.ok)live.said.textContent=value.error||"refused";
    return reply.ok?value:null;
  }catch{live.said.textContent="The program does not answer: has it ended?";return null}
};
const liveBar=runView=>{
  live.ways=h("ul",{class:"choices",id:"ways","aria-label":"What is possible"});
  live.said=h("div",{class:"said",role:"status",id:"said"});
  const show=run=>{
    run.graphs=run.lanes.map(lane=>{const at=data.graphs.findIndex(graph=>graph.of===lane);return at<0?null:at});
    // After an answer without a run, the run and the drawings come back.
    if(!runView.element.isConnected)tell("live");
    runView.open([run],0);runView.go(run.steps.length-1);
  };
  if(data.live.kind!=="c"){
    const isModel=data.live.kind==="model";
    const system=h("select",{"aria-label":"System",id:"system",onchange:()=>go([])},data.live.systems.map(name=>h("option",{value:name},name)));
    const formula=h("input",{type:"text",id:"formula",placeholder:"formula, such as G(a => F b)","aria-label":"Formula",onkeydown:event=>{event.stopPropagation();if(event.key==="Enter")wonder()}});
    const replay=h("input",{type:"text",id:"replay",placeholder:"steps to replay: a, b, 2","aria-label":"Steps to replay: their names or numbers, separated by commas",
      onkeydown:event=>{event.stopPropagation();if(event.key==="Enter")again()}});
    // A walk can be kept as text: the names of its steps, which the same field takes.
    const again=()=>{const text=replay.value.trim();if(text)go([],0,text)};
    const go=async(choices,random,text)=>{
      const reply=await ask("walk",{system:system.value,choices,random:random||0,seed:Math.floor(Math.random()*2**50),replay:text||null});
      if(!reply)return;
      live.choices=reply.choices;show(reply.run);
      replay.value=isModel&&reply.run.steps.length<200?reply.run.steps.map(step=>step.x).join(", "):reply.choices.map(choice=>choice+1).join(", ");
      live.said.textContent=reply.says;
      clear(live.ways).append(...reply.ways.map((way,at)=>h("li",{},h("button",{type:"button",title:(way.lanes||[]).map(lane=>reply.run.lanes[lane]).join(", "),
        onclick:()=>go([...live.choices,at])},at<9?h("kbd",{},at+1):null," ",way.silent?`(${way.text})`:way.text))));
    };
    const wonder=async()=>{
      live.said.textContent="…";
      const reply=await ask("formula",{system:system.value,text:formula.value});
      if(!reply)return;
      live.said.textContent="";
      data.answers.push(reply.answer);tell("answer",data.answers.length-1);
    };
    live.act=at=>{const button=live.ways.querySelectorAll("button")[at];if(button)button.click()};
    live.back=()=>live.choices.length&&go(live.choices.slice(0,-1));
    live.start=()=>go([]);
    // From a step that was chosen in the run, one can go another way.
    live.here=()=>go(live.choices.slice(0,live.choices.length-(runView.run.steps.length-1-runView.step)));
    live.bar=h("div",{class:"bar",id:"live"},system,button("Start again","Start again",()=>go([]),{id:"again"}),button("Back","Take the last choice back (b)",()=>live.back(),{id:"back"}),
      button("Go on from here","Go another way from the step that is shown",()=>live.here(),{id:"here"}),
      button("Walk 20","Walk 20 steps at random (w)",()=>go(live.choices,20),{id:"walk"}),replay,button("Replay","Walk the steps in the field again",again,{id:"again-as"}),
      h("span",{class:"room"}),isModel?[formula,button("Ask","Does the formula hold?",wonder,{id:"ask"})]:null);
    system.hidden=data.live.systems.length<2;
    key("b","take the last choice back",()=>live.back());
    key("w","walk 20 steps at random",()=>go(live.choices,20));
    for(let at=0;at<9;at++)key(String(at+1),at?"":"choose what is possible, by its number",()=>live.act(at));
  }else{
    const value=h("input",{type:"text",id:"value","aria-label":"Next choices: inputs, or t1 for thread 1","placeholder":"",onkeydown:event=>{event.stopPropagation();if(event.key==="Enter")give()}});
    const made=h("ul",{class:"choices made",id:"made","aria-label":"Choices so far: a click goes back to before one"});
    const go=async(choices,seed)=>{
      const reply=await ask("run",{choices,seed});
      if(!reply)return;
      live.choices=reply.choices;show(reply.run);
      clear(made).append(...live.choices.slice(0,300).map((one,at)=>h("li",{},button(one,`Go back to before choice ${at+1}`,()=>go(live.choices.slice(0,at))))));
      clear(live.ways).append(...reply.able.map((one,at)=>h("li",{},h("button",{type:"button",onclick:()=>go([...live.choices,one.choice])},at<9?h("kbd",{},at+1):null," ",one.text))));
      live.said.textContent=(reply.asks?`next: ${reply.asks.name} (${reply.asks.kind})`:reply.able.length?"Which thread makes the next step that others can see?":reply.says)+(reply.printed?`\nprinted so far: ${reply.printed.slice(-400)}`:"");
      value.disabled=!reply.asks&&!reply.able.length;value.placeholder=reply.asks?reply.asks.kind:reply.able.length?"t0, t1, …":"";
    };
    const give=()=>{const text=value.value.trim();value.value="";if(text)go([...live.choices,...text.split(/[\s,]+/)])};
    live.act=at=>{const button=live.ways.querySelectorAll("button")[at];if(button)button.click()};
    live.back=()=>live.choices.length&&go(live.choices.slice(0,-1));
    live.start=()=>go([]);
    live.bar=h("div",{class:"bar",id:"live"},button("Start again","Start again without choices",()=>go([]),{id:"again"}),button("Back","Take the last choice back (b)",()=>live.back(),{id:"back"}),
      button("At random","Run on with inputs and threads drawn at random (w)",()=>go(live.choices,Math.floor(Math.random()*2**50)),{id:"walk"}),h("span",{class:"room"}),value,button("Give","Go on with these choices",give,{id:"give"}));
    key("b","take the last choice back",()=>live.back());
    key("w","run on with random inputs and threads",()=>go(live.choices,Math.floor(Math.random()*2**50)));
    for(let at=0;at<9;at++)key(String(at+1),at?"":"choose a thread, by its number in the list",()=>live.act(at));
    return[live.bar,made,live.ways,live.said];
  }
  return[live.bar,live.ways,live.said];
};
