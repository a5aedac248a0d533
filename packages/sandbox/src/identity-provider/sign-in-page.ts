// The sign-in page: one click for a demo person, or a form for any other person.

import type { AskedParameters } from './authorization-parameters.ts';
import { type DemoPerson, demoPeople } from './demo-people.ts';
import { answerPage, escapeHtml, type Page, type PageFrame } from './page.ts';
import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH, type PersonInput } from './person.ts';

export interface SignInPage {
  readonly frame: PageFrame;
  readonly asked: AskedParameters;
  readonly formToken: string;
  readonly entered?: PersonInput;
  readonly problem?: { readonly field: keyof PersonInput; readonly message: string };
}

interface Field {
  readonly name: 'email' | 'name' | 'twitter_username';
  readonly label: string;
  readonly attributes: string;
}

const FIELDS: readonly Field[] = [
  {
    name: 'email',
    label: 'E-mail',
    attributes: `type="email" required maxlength="${MAX_EMAIL_LENGTH}" autocomplete="email" spellcheck="false"`,
  },
  { name: 'name', label: 'Name <small>optional</small>', attributes: `type="text" maxlength="${MAX_NAME_LENGTH}" autocomplete="name"` },
  {
    name: 'twitter_username',
    label: 'X handle <small>optional</small>',
    attributes: 'type="text" maxlength="16" autocomplete="off" autocapitalize="none" spellcheck="false"',
  },
];

export function answerSignInPage(page: SignInPage): Page {
  const { origin } = new URL(new Map(page.asked).get('redirect_uri') ?? '');
  return answerPage(page.problem === undefined ? 200 : 400, page.frame, {
    title: 'Sign in',
    formTarget: origin,
    main: `<h1>Sign in to ${escapeHtml(page.frame.serviceName)}</h1>
<p class="lead">This is the sandbox's sign-in. No password is needed: say who you want to be. Nothing is mailed, and money here is not real.</p>
<h2>One click</h2>
<form method="post" action="authorize">
${hiddenFields(page)}
<ul class="people">
${demoPeople.map(demoRow).join('\n')}
</ul>
</form>
<h2>Anybody else</h2>
<form method="post" action="authorize" class="panel">
${hiddenFields(page)}
${FIELDS.map((field) => fieldRow(field, page)).join('\n')}
<label class="check"><input type="checkbox" name="admin" value="yes"${page.entered?.admin ? ' checked' : ''}><span>Sign in as admin <small>Opens the admin pages for this sign-in.</small></span></label>
<button class="primary" type="submit">Sign in</button>
</form>
<p class="note">You go back to <span class="mono">${escapeHtml(origin)}</span></p>`,
  });
}

function hiddenFields(page: SignInPage): string {
  return [...page.asked, ['form_token', page.formToken] as const]
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('\n');
}

function demoRow({ key, name, role }: DemoPerson): string {
  const firstName = name.split(' ')[0] ?? name;
  return `<li><div><b>${escapeHtml(name)}</b><span>${escapeHtml(role)}</span></div><button type="submit" name="person" value="${key}">Sign in as ${escapeHtml(firstName)}</button></li>`;
}

function fieldRow({ name, label, attributes }: Field, { entered, problem }: SignInPage): string {
  const isWrong = problem?.field === name;
  const marks = isWrong ? ` aria-invalid="true" aria-describedby="${name}-wrong" autofocus` : '';
  const wrong = isWrong ? `<p class="wrong" id="${name}-wrong" role="alert">${escapeHtml(problem.message)}</p>` : '';
  return `<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${escapeHtml(entered?.[name] ?? '')}" ${attributes}${marks}>${wrong}</div>`;
}
