/** The browsable reference: complete without scripts and derived from the contract. One page per noun, and a start page. */
import { describeOperation, type OperationReference, operationsOf } from '@market/contract';
import { sitePaths } from '../../site-paths.ts';
import { authenticationGuide, conventionsGuide, errorsGuide } from './guides.ts';
import { type Html, html } from './html.ts';
import { operationSection } from './operation-section.ts';

export interface ReferenceOptions {
  readonly serviceName: string;
  readonly baseUrl: string;
  /** `production` omits operations that exist only in the sandbox. */
  readonly profile: 'sandbox' | 'production';
}

interface Group {
  readonly name: string;
  readonly title: string;
  readonly operations: readonly OperationReference[];
}

/** The start page: rules for every call, the list of calls, the errors. Each call keeps its anchor here and links to its page. */
export function renderReference(options: ReferenceOptions): string {
  const groups = groupsOf(options);
  return html`${contents(groups)}<div class="reference-body">${opening(options, groups)}
${conventionsGuide()}
${authenticationGuide()}
${callList(groups)}
${errorsGuide()}</div>`.text;
}

/** The calls of one noun; undefined for an unknown noun. */
export function renderNoun(options: ReferenceOptions, noun: string): string | undefined {
  const groups = groupsOf(options);
  const group = groups.find(({ name }) => name === noun);
  if (group === undefined) return undefined;
  return html`${contents(groups, noun)}<div class="reference-body">${nounOpening(group)}
<section class="part" data-group aria-label="${group.title}">${group.operations.map((operation) =>
    operationSection(operation, filterText(operation)),
  )}</section></div>`.text;
}

function groupsOf({ baseUrl, profile }: ReferenceOptions): readonly Group[] {
  return [...Map.groupBy(operationsOf(profile), ({ group }) => group)].map(([name, members]) => ({
    name,
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    operations: members.map((member) => describeOperation(member, baseUrl)),
  }));
}

function opening({ serviceName, baseUrl }: ReferenceOptions, groups: readonly Group[]): Html {
  const calls = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  return html`<header class="title" data-guide><h1>API reference</h1><p class="lead">Every call of ${serviceName}: what it takes, what it answers and who may make it.</p><dl class="opening"><div><dt>Base address</dt><dd><code>${baseUrl}</code></dd></div><div><dt>Calls</dt><dd>${calls}</dd></div><div><dt>For machines</dt><dd><a href="${sitePaths.openApi}">OpenAPI 3.1</a></dd></div></dl></header>`;
}

function nounOpening({ title, operations }: Group): Html {
  const calls = operations.length === 1 ? 'One call' : `${operations.length} calls`;
  return html`<header class="title" data-guide><h1>${title}</h1><p class="lead">${calls}. What goes for all of them stands in <a href="${sitePaths.reference}#conventions">the conventions</a>.</p></header>`;
}

/** The side navigation: all nouns, and the calls of the open noun, or of all if none is open. */
function contents(groups: readonly Group[], open?: string): Html {
  const link = (operation: OperationReference) =>
    html`<li data-operation="${filterText(operation)}"><a href="${hrefOf(operation)}">${operation.summary}</a></li>`;
  const entry = ({ name, title, operations }: Group) =>
    open === undefined || name === open
      ? html`<li data-group><a href="${sitePaths.noun(name)}"${name === open ? html` aria-current="page"` : ''}>${title}</a><ul>${operations.map(link)}</ul></li>`
      : html`<li data-guide><a href="${sitePaths.noun(name)}">${title}</a></li>`;
  const guide = (anchor: string, words: string) => html`<li data-guide><a href="${sitePaths.reference}#${anchor}">${words}</a></li>`;
  return html`<nav class="contents" aria-label="Contents"><div><div class="filter" hidden><label class="visually-hidden" for="filter">Filter calls</label><input id="filter" type="search" placeholder="Filter calls" autocomplete="off" spellcheck="false"><p role="status"></p></div><ul class="strip">${guide('conventions', 'Conventions')}${guide('authentication', 'Authentication')}${groups.map(entry)}${guide('errors', 'Errors')}</ul></div></nav>`;
}

/** Former links such as `/reference#agents-register` lead to the call's line. */
function callList(groups: readonly Group[]): Html {
  const line = (operation: OperationReference) =>
    html`<li id="${operation.anchor}" data-operation="${filterText(operation)}"><a href="${hrefOf(operation)}">${operation.summary}</a> <code>${operation.method} ${operation.path}</code></li>`;
  return html`<section class="part" aria-labelledby="calls"><h2 id="calls">Calls</h2>${groups.map(
    ({ name, title, operations }) =>
      html`<section class="calls" data-group aria-labelledby="${name}"><h3 id="${name}"><a href="${sitePaths.noun(name)}">${title}</a></h3><ul>${operations.map(line)}</ul></section>`,
  )}</section>`;
}

function hrefOf({ name, anchor }: OperationReference): string {
  return `${sitePaths.noun(name.split('.')[0] ?? '')}#${anchor}`;
}

/** The text that the filter searches. It is unique per call, so each call counts once. */
function filterText({ name, method, path, summary }: OperationReference): string {
  return `${name} ${method} ${path} ${summary}`;
}
