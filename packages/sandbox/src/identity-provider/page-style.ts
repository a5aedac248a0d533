// The inlined styles of the sign-in page: the site's design tokens, light and dark, and a few rules. The page loads only our typeface.
// `page-style.test.ts` compares the values with the site's tokens.css.

/** Addresses of the site's two font files. */
export interface Typeface {
  readonly text: string;
  readonly mono: string;
}

const COLOURS = `color-scheme:light dark;--paper:light-dark(#f2f5ef,#0d1411);--sheet:light-dark(#fbfcf9,#131c18);--band:light-dark(#e6ede2,#18231e);
--ink:light-dark(#132019,#e9f0ea);--ink-2:light-dark(#3f4e45,#b4c2b8);--ink-3:light-dark(#58675d,#8fa096);
--rule:light-dark(#c7d2c5,#2a3932);--rule-2:light-dark(#78877c,#6b7c72);--accent:light-dark(#ffb414,#ffbd2e);
--accent-press:light-dark(#eb9f00,#ffd06a);--on-accent:#132019;--bad:light-dark(#a8261b,#ff9484);
--focus:light-dark(#132019,#ffbd2e);--focus-halo:light-dark(#ffb414,#0d1411);`;

export function composePageStyle(typeface: Typeface | undefined): string {
  return `${typeface === undefined ? '' : faceRules(typeface)}${RULES}`;
}

function faceRules({ text, mono }: Typeface): string {
  return `
@font-face{font-family:"Schibsted Grotesk Variable";font-style:normal;font-display:swap;font-weight:400 900;src:url(${text}) format("woff2")}
@font-face{font-family:"Spline Sans Mono Variable";font-style:normal;font-display:swap;font-weight:300 700;src:url(${mono}) format("woff2")}`;
}

const RULES = `
:root{${COLOURS}
--text:"Schibsted Grotesk Variable","Schibsted Grotesk","Libre Franklin",system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--mono:"Spline Sans Mono Variable",ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
[data-theme="light"]{color-scheme:light}
[data-theme="dark"]{color-scheme:dark}
*,*::before,*::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:400 1rem/1.5 var(--text);border-top:4px dashed var(--rule-2)}
h1,h2,p,ul,form,fieldset{margin:0;padding:0}
header,main{max-width:30rem;margin-inline:auto;padding-inline:1rem}
header{display:flex;align-items:center;justify-content:space-between;gap:1rem;padding-block:1rem}
.brand{font-weight:800;font-size:1.5rem;letter-spacing:-.045em;line-height:1;padding-bottom:5px;border-bottom:4px double var(--ink);overflow-wrap:anywhere}
.sandbox{font-size:.8125rem;font-weight:500;color:var(--ink-2);border:1px dashed var(--rule-2);border-radius:2px;padding:.1rem .5rem}
main{padding-block:1.5rem 3rem}
h1{font-size:1.75rem;line-height:1.15;letter-spacing:-.018em;overflow-wrap:anywhere;text-wrap:balance}
h2{font-size:1.125rem;line-height:1.15;letter-spacing:-.018em;margin-top:2rem}
.lead{margin-top:.75rem;color:var(--ink-2);overflow-wrap:anywhere}
.note{margin-top:1.5rem;font-size:.8125rem;color:var(--ink-3);overflow-wrap:anywhere}
.mono{font-family:var(--mono);letter-spacing:-.02em}
.people{list-style:none;margin-top:.75rem;border-top:1px solid var(--ink)}
.people li{display:flex;align-items:center;justify-content:space-between;gap:1rem;padding-block:.5rem;border-bottom:1px solid var(--rule)}
.people b{display:block;font-weight:600;line-height:1.35}
.people button{flex:none}
.people span{font-size:.8125rem;color:var(--ink-3)}
.panel{margin-top:.75rem;padding:1rem;background:var(--sheet);border:1px solid var(--rule);border-radius:4px}
.field{margin-bottom:1rem}
.field label{display:block;font-size:.875rem;font-weight:600;margin-bottom:.25rem}
.field label small,.check small{font-size:.8125rem;font-weight:400;color:var(--ink-3)}
.field input{display:block;width:100%;min-height:2.75rem;padding:.45rem .75rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--rule-2);border-radius:2px}
.field input[aria-invalid]{border-color:var(--bad)}
.wrong{margin-top:.25rem;font-size:.875rem;color:var(--bad)}
.check{display:flex;gap:.75rem;align-items:flex-start;min-height:2.75rem;margin-bottom:1rem;font-size:.875rem;font-weight:600}
.check input{flex:none;width:1.25rem;height:1.25rem;margin:.1rem 0 0;accent-color:var(--ink)}
.check small{display:block}
button{min-height:2.75rem;padding:.45rem 1rem;font:600 .875rem/1.2 var(--text);color:var(--ink);background:transparent;border:1px solid var(--rule-2);border-radius:4px;cursor:pointer}
button:hover{background:var(--band);border-color:var(--ink)}
button.primary{width:100%;font-size:1rem;color:var(--on-accent);background:var(--accent);border-color:var(--accent)}
button.primary:hover{background:var(--accent-press);border-color:var(--accent-press)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px;box-shadow:0 0 0 6px var(--focus-halo);border-radius:2px}
@media (min-width:45rem){main{padding-top:3rem}h1{font-size:2.25rem}.panel{padding:1.5rem}}
`;
