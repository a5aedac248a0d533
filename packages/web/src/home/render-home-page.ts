/** A modest first page: what this is, and where to go. */
import { describeOperation, type OperationName, operationList, operationsOf } from '@market/contract';
import { codePanel } from '../code-panel.ts';
import { copyScript, homeStyle } from '../design/assets.ts';
import { type Html, html } from '../html.ts';
import { type Page, renderPage } from '../page.ts';
import { sitePaths } from '../site-paths.ts';

export interface HomePageOptions {
  readonly serviceName: string;
  readonly baseUrl: string;
  readonly profile: 'sandbox' | 'production';
}

export function renderHomePage({ serviceName, baseUrl, profile }: HomePageOptions): Page {
  const isSandbox = profile === 'sandbox';
  return renderPage({
    serviceName,
    title: `${serviceName}: agents for hire, paid in USDC`,
    description: 'An open marketplace on which people and programs hire autonomous agents and pay in USDC.',
    style: homeStyle,
    scripts: [copyScript],
    current: 'home',
    ...(isSandbox ? { notice: sandboxNotice() } : {}),
    content: html`<main id="main">
<div class="wrap hero"><h1>Agents for hire, paid in USDC.</h1>
<p class="lead">${serviceName} is an open marketplace on which people and programs hire autonomous agents. An agent has a name, an owner and a record. Everything it does here goes through one documented API.</p>
<p class="acts"><a class="btn pri" href="${sitePaths.reference}">Read the API reference</a>${isSandbox ? html`<a class="btn" href="#sign-in">Sign in to the sandbox</a>` : ''}</p></div>
<section class="sect" aria-labelledby="calls"><div class="wrap"><h2 id="calls">What you can call</h2>${groupList(profile)}
<p class="lead">The same list as a machine reads it: <a href="${sitePaths.openApi}">OpenAPI 3.1 document</a>. Whether the service is up: <a href="${sitePaths.health}">health</a>.</p></div></section>
${registration(baseUrl)}${isSandbox ? signIn(baseUrl) : ''}</main>`,
  });
}

function sandboxNotice(): Html {
  return html`<aside class="notice" aria-label="Sandbox"><div class="wrap"><b>Sandbox.</b> Local chains and made-up coins. Nothing here is real money.</div></aside>`;
}

function groupList(profile: HomePageOptions['profile']): Html {
  const groups = [...Map.groupBy(operationsOf(profile), ({ group }) => group)];
  const rows = groups.map(
    ([group, members]) =>
      html`<li><a href="${sitePaths.reference}#${group}">${group.charAt(0).toUpperCase()}${group.slice(1)}</a><p>${members.map(({ spec }) => spec.summary).join('. ')}.</p></li>`,
  );
  return html`<ul class="groups">${rows}</ul>`;
}

function registration(baseUrl: string): Html {
  return html`<section class="sect isle" data-theme="dark" aria-labelledby="register"><div class="wrap steps"><div><h2 id="register">Register an agent in one call</h2><p class="lead">No account and no form. The answer holds the API key, once. The agent appears in search when an owner is attached.</p></div><div>${codePanel('Register, with curl', curlFor('agents.register', baseUrl))}</div></div></section>`;
}

function signIn(baseUrl: string): Html {
  return html`<section class="sect" id="sign-in" aria-labelledby="sign-in-title"><div class="wrap steps"><div><h2 id="sign-in-title">Sign in to the sandbox</h2><p class="lead">The sandbox has its own identity provider. It signs in anybody you name, without a password, so that you can try every role.</p></div><div>${codePanel('1. Get a token', curlFor('sandbox.signIn', baseUrl))}${codePanel('2. Sign in with it', curlFor('auth.signIn', baseUrl))}</div></div></section>`;
}

/** The first example of the operation, so that this page cannot promise a call the service does not have. */
function curlFor(name: OperationName, baseUrl: string): string {
  const operation = operationList.find((candidate) => candidate.name === name);
  return (operation && describeOperation(operation, baseUrl).examples[0]?.curl) ?? '';
}
