import type { AnswerField, ErrorReference, FieldReference, OperationReference } from '@market/contract';
import { sitePaths } from '../../site-paths.ts';
import { codePanel, jsonPanel } from './code-panel.ts';
import { type Html, html, prose } from './html.ts';
import { table } from './table.ts';

export function operationSection(operation: OperationReference, filterText: string): Html {
  const { anchor, summary, description, fields, answer, errors, examples } = operation;
  return html`<section class="operation" id="${anchor}" data-operation="${filterText}" aria-labelledby="${anchor}-title"><header><h2 id="${anchor}-title"><a href="#${anchor}">${summary}</a></h2>${requestLine(operation)}</header>
<div class="about">${description === undefined ? '' : html`<p>${prose(description)}</p>`}${facts(operation)}
${fields.length === 0 ? '' : html`<div><h3>Input</h3>${inputTable(summary, fields)}</div>`}
<div><h3>Errors</h3>${errors.own.length === 0 ? '' : errorTable(`Errors of: ${summary}`, errors.own)}<details><summary>${errors.own.length === 0 ? 'As' : 'Also, as'} for every call of its kind</summary><p class="codes">${errors.implied.map(({ code }) => html`${errorLink(code)} `)}</p></details></div>
<div><h3>Answer</h3><details><summary>${answer.length} fields</summary>${answerTable(summary, answer)}</details></div></div>
<div class="try"><h3>Example</h3>${examples.map((example) => html`${codePanel(`${example.title}, with curl`, example.curl)}${jsonPanel(`Answer, status ${operation.status}`, example.answer)}`)}</div></section>
`;
}

function requestLine({ method, path, selector }: OperationReference): Html {
  const segments = path.split(/(\{\w+\})/).map((segment) => (segment.startsWith('{') ? html`<i>${segment}</i>` : html`${segment}`));
  return html`<p class="line"><b>${method}</b> ${segments}${selector === undefined ? '' : html` with <code>${selector.field}: ${selector.value}</code>`}</p>`;
}

function facts({ name, anchor, access, limit, mcpTool, sandboxOnly }: OperationReference): Html {
  const rows: [string, Html][] = [
    ...(sandboxOnly ? [['Where', html`Sandbox only; production answers 404`] satisfies [string, Html]] : []),
    ['Access', prose(access)],
    ...(limit === undefined ? [] : [['Limit', html`${limit} and client address`] satisfies [string, Html]]),
    ['SDK', html`<code>client.${name}(…)</code>`],
    ['Command', html`<code>market ${anchor.replace('-', ' ')}</code>`],
    ...(mcpTool === undefined ? [] : [['MCP tool', html`<code>${mcpTool}</code>`] satisfies [string, Html]]),
  ];
  return html`<dl class="call-facts">${rows.map(([term, words]) => html`<div><dt>${term}</dt><dd>${words}</dd></div>`)}</dl>`;
}

function inputTable(summary: string, fields: readonly FieldReference[]): Html {
  const rows = fields.map((field) => [
    html`<code>${field.name}</code><small>${field.type}, in the ${field.in}</small>`,
    html`${presence(field)} ${prose(field.description)}`,
  ]);
  return table(`Input of: ${summary}`, ['Field', 'Meaning'], rows);
}

function presence(field: FieldReference): Html {
  if (field.required) return html`<span class="required">Required.</span>`;
  return field.default === undefined ? html`` : html`Default <code>${JSON.stringify(field.default)}</code>.`;
}

function answerTable(summary: string, fields: readonly AnswerField[]): Html {
  const rows = fields.map((field) => [
    html`<code>${breakable(field.path)}</code><small>${field.type}${field.optional ? ', may be absent' : ''}</small>`,
    prose(field.description),
  ]);
  return table(`Answer of: ${summary}`, ['Field', 'Meaning'], rows);
}

/** Lets a long path break after a dot first. */
function breakable(path: string): Html[] {
  return path.split(/(?<=\.)/).map((piece, index) => (index === 0 ? html`${piece}` : html`<wbr>${piece}`));
}

function errorTable(caption: string, errors: readonly ErrorReference[]): Html {
  const rows = errors.map(({ status, code, message }) => [html`${errorLink(code)}<small>${status}</small>`, prose(message)]);
  return table(caption, ['Code', 'Meaning'], rows);
}

function errorLink(code: string): Html {
  return html`<a href="${sitePaths.reference}#error-${code}"><code>${code}</code></a>`;
}
