/** The browsable reference: complete without scripts, derived from the contract like everything else. */
import { describeOperation, type OperationReference, operationsOf } from '@market/contract';
import { sitePaths } from '../../site-paths.ts';
import { authenticationGuide, conventionsGuide, errorsGuide } from './guides.ts';
import { type Html, html } from './html.ts';
import { operationSection } from './operation-section.ts';

export interface ReferenceOptions {
  readonly serviceName: string;
  readonly baseUrl: string;
  /** `production`: what exists in the sandbox only is left out. */
  readonly profile: 'sandbox' | 'production';
}

interface Group {
  readonly name: string;
  readonly title: string;
  readonly operations: readonly OperationReference[];
}

/** Markup made of the contract and the two options, all of it escaped where it is text. */
export function renderReference({ serviceName, baseUrl, profile }: ReferenceOptions): string {
  const operations = operationsOf(profile);
  const groups = [...Map.groupBy(operations, ({ group }) => group)].map(
    ([name, members]): Group => ({
      name,
      title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      operations: members.map((member) => describeOperation(member, baseUrl)),
    }),
  );
  return html`${contents(groups)}<div class="refbody">${opening(serviceName, baseUrl, operations.length)}
${conventionsGuide()}
${authenticationGuide()}
${groups.map(groupSection)}
${errorsGuide()}</div>`.text;
}

function opening(serviceName: string, baseUrl: string, calls: number): Html {
  return html`<header class="title" data-guide><h1>API reference</h1><p class="lead">Every call of ${serviceName}: what it takes, what it answers and who may make it.</p><dl class="opening"><div><dt>Base address</dt><dd><code>${baseUrl}</code></dd></div><div><dt>Calls</dt><dd>${calls}</dd></div><div><dt>For machines</dt><dd><a href="${sitePaths.openApi}">OpenAPI 3.1</a></dd></div></dl></header>`;
}

function contents(groups: readonly Group[]): Html {
  const operationLink = ({ anchor, summary, ...operation }: OperationReference) =>
    html`<li data-operation="${filterText({ anchor, summary, ...operation })}"><a href="#${anchor}">${summary}</a></li>`;
  return html`<nav class="contents" aria-label="Contents"><div><div class="filter" hidden><label class="vh" for="filter">Filter calls</label><input id="filter" type="search" placeholder="Filter calls" autocomplete="off" spellcheck="false"><p role="status"></p></div><ul class="strip"><li data-guide><a href="#conventions">Conventions</a></li><li data-guide><a href="#authentication">Authentication</a></li>${groups.map(
    ({ name, title, operations }) => html`<li data-group><a href="#${name}">${title}</a><ul>${operations.map(operationLink)}</ul></li>`,
  )}<li data-guide><a href="#errors">Errors</a></li></ul></div></nav>`;
}

function groupSection({ name, title, operations }: Group): Html {
  return html`<section class="part" data-group aria-labelledby="${name}"><h2 id="${name}">${title}</h2>${operations.map((operation) =>
    operationSection(operation, filterText(operation)),
  )}</section>`;
}

/** What the filter looks through. Also tells a call apart, so that it is counted once. */
function filterText({ name, method, path, summary }: OperationReference): string {
  return `${name} ${method} ${path} ${summary}`;
}
