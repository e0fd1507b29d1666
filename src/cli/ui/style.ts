import { DRAWING_STYLE } from '../drawing/svg.ts';

/** The style sheet of every page. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#57606a;--ground:#f6f8fa;--box:#fff;--edge:#d0d7de;--line:#7d8590;--link:#0550ae;--good:#1a7f37;--warning:#7d4e00;--bad:#b3141f}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9da7b3;--ground:#0d1117;--box:#161b22;--edge:#3d444d;--line:#7d8590;--link:#79c0ff;--good:#3fb950;--warning:#e3b341;--bad:#ff7b72}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:14px/1.45 system-ui,"DejaVu Sans",sans-serif}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
main:focus{outline:none}
header{display:flex;gap:1rem;align-items:baseline;flex-wrap:wrap;padding:.6rem 1.2rem;border-bottom:1px solid var(--edge);background:var(--box)}
header p{margin:0;color:var(--dim);overflow-wrap:anywhere}
header p[data-state=bad]{color:var(--bad);font-weight:600}
main{padding:.4rem 1.2rem 3rem;overflow-wrap:anywhere}
h1{font-size:1.35rem;margin:.8rem 0 .4rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:1.4rem 0 .4rem}
h3{font-size:.95rem;margin:.6rem 0 .2rem;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;background:var(--box);border:1px solid var(--edge)}
caption{text-align:left;color:var(--dim);padding:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.25rem .6rem;border-bottom:1px solid var(--edge);overflow-wrap:break-word}
.some,.long{overflow-wrap:anywhere;min-width:12rem}.long{min-width:13rem}
th{font-weight:600}
form{display:flex;gap:.6rem;flex-wrap:wrap;align-items:end;margin:.6rem 0}
label{display:flex;max-width:100%;flex-direction:column;font-size:.85rem;color:var(--dim)}
label.line{flex-direction:row;gap:.35rem;align-items:center;padding-bottom:.35rem}
input,select,button,textarea{font:inherit;color:var(--ink);background:var(--box);border:1px solid var(--line);border-radius:4px;padding:.25rem .5rem;max-width:100%;min-height:2rem}
input[type=checkbox]{min-height:0}
::placeholder{color:var(--dim);opacity:1}
.good{color:var(--good)}.warning{color:var(--warning)}.bad{color:var(--bad)}.dim{color:var(--dim)}.brief{white-space:nowrap}
.card{background:var(--box);border:1px solid var(--edge);border-radius:6px;padding:.2rem .9rem .6rem;margin:.5rem 0}
.card p{margin:.2rem 0;overflow-wrap:anywhere}
.wide{overflow-x:auto;background:var(--box);border:1px solid var(--edge);border-radius:6px;padding:.4rem}
.pages{display:flex;gap:1rem}
ul.tree,ul.tree ul{list-style:none;margin:.1rem 0;padding-left:1.2rem;border-left:1px solid var(--edge)}
ol.plan{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:.85rem;overflow-wrap:anywhere}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.3rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:1100px){
table,caption,tbody,tr{display:block}
thead{position:absolute;clip-path:inset(50%);overflow:hidden;width:1px;height:1px}
tr{display:flex;flex-wrap:wrap;gap:.1rem .8rem;padding:.4rem .6rem;border-bottom:1px solid var(--edge)}
td,tbody th{min-width:0;max-width:100%;border:0;padding:0;overflow-wrap:anywhere}
tbody th{order:-1;flex-basis:100%}td.long{flex-basis:100%}td.brief,tbody th.brief{white-space:normal}
td:empty{display:none}td[data-label]::before{content:attr(data-label) " ";color:var(--dim)}
}
${DRAWING_STYLE}`;
