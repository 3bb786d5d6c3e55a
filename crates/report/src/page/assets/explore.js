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
  if(data.live.kind==="model"){
    const system=h("select",{"aria-label":"System",id:"system",onchange:()=>go([])},data.live.systems.map(name=>h("option",{value:name},name)));
    const formula=h("input",{type:"text",id:"formula",placeholder:"formula, such as G(a => F b)","aria-label":"Formula",onkeydown:event=>{event.stopPropagation();if(event.key==="Enter")wonder()}});
    const go=async(choices,random)=>{
      const reply=await ask("walk",{system:system.value,choices,random:random||0,seed:Math.floor(Math.random()*2**50)});
      if(!reply)return;
      live.choices=reply.choices;show(reply.run);
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
      button("Walk 20","Walk 20 steps at random (w)",()=>go(live.choices,20),{id:"walk"}),h("span",{class:"room"}),formula,button("Ask","Does the formula hold?",wonder,{id:"ask"}));
    key("b","take the last choice back",()=>live.back());
    key("w","walk 20 steps at random",()=>go(live.choices,20));
    for(let at=0;at<9;at++)key(String(at+1),at?"":"choose what is possible, by its number",()=>live.act(at));
  }else{
    const value=h("input",{type:"text",id:"value","aria-label":"Next input",onkeydown:event=>{event.stopPropagation();if(event.key==="Enter")give()}});
    const schedule=h("input",{type:"number",id:"schedule",min:0,placeholder:"schedule","aria-label":"Seed of the schedule of threads",onkeydown:event=>event.stopPropagation()});
    const go=async(inputs,seed)=>{
      const reply=await ask("run",{inputs,seed,schedule:schedule.value===""?null:Number(schedule.value)});
      if(!reply)return;
      live.inputs=seed===undefined?inputs:reply.inputs;show(reply.run);
      clear(live.ways).append(...live.inputs.map((one,at)=>h("li",{},button(one,`Go back to before input ${at+1}`,()=>go(live.inputs.slice(0,at))))));
      live.said.textContent=(reply.asks?`next: ${reply.asks.name} (${reply.asks.kind})`:reply.says)+(reply.printed?`\nprinted so far: ${reply.printed.slice(-400)}`:"");
      value.disabled=!reply.asks;if(reply.asks)value.placeholder=reply.asks.kind;
    };
    const give=()=>{const text=value.value.trim();value.value="";if(text)go([...live.inputs,...text.split(/[\s,]+/)])};
    live.back=()=>live.inputs.length&&go(live.inputs.slice(0,-1));
    live.start=()=>go([]);
    live.bar=h("div",{class:"bar",id:"live"},button("Start again","Start again without inputs",()=>go([]),{id:"again"}),button("Back","Take the last input back (b)",()=>live.back(),{id:"back"}),
      button("At random","Run on with inputs drawn at random (w)",()=>go(live.inputs,Math.floor(Math.random()*2**50)),{id:"walk"}),h("span",{class:"room"}),schedule,value,button("Give","Go on with this input",give,{id:"give"}));
    key("b","take the last input back",()=>live.back());
    key("w","run on with random inputs",()=>go(live.inputs,Math.floor(Math.random()*2**50)));
  }
  return[live.bar,live.ways,live.said];
};
