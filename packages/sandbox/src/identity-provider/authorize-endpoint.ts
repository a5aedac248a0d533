// The authorization endpoint: shows the sign-in page; after a valid form, the library sends the person back to the app with a code.

import { text } from 'node:stream/consumers';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { listKnownParameters } from './authorization-parameters.ts';
import { demoPeople } from './demo-people.ts';
import { isFormToken, signForm } from './form-token.ts';
import { answerRefusalPage, type Page, type PageFrame, readTheme } from './page.ts';
import type { Typeface } from './page-style.ts';
import { InvalidPersonError, type Person, type PersonInput, readPerson } from './person.ts';
import { answerSignInPage, type SignInPage } from './sign-in-page.ts';
import type { SignedIn } from './tokens.ts';

export interface AuthorizeEndpointOptions {
  readonly serviceName: string;
  readonly typeface?: Typeface | undefined;
  readonly formSecret: Buffer;
  readonly now: () => Date;
  readonly rememberPerson: (person: Person) => Person;
}

/** Data for the library's hooks: `sent` are the raw parameters, `signedIn` the person after a valid form. */
export interface AuthorizeState {
  readonly sent: URLSearchParams;
  readonly signedIn?: SignedIn | undefined;
}

/** The only response mode in which the library answers apps. */
export const RESPONSE_MODE = 'return';

class RefusedForm extends Error {}

export function createAuthorizeEndpoint(options: AuthorizeEndpointOptions) {
  const { formSecret, now } = options;

  function showForm(ctx: KoaContextWithOIDC, sent: URLSearchParams, again: Pick<SignInPage, 'entered' | 'problem'> = {}): void {
    const asked = listKnownParameters(sent);
    answer(ctx, answerSignInPage({ frame: frameFor(options, ctx), asked, formToken: signForm(formSecret, asked, now()), ...again }));
  }

  /** Returns undefined if it shows the form again. */
  function signIn(ctx: KoaContextWithOIDC, form: URLSearchParams): SignedIn | undefined {
    if (!isGenuine(options, form)) throw new RefusedForm('This form is too old, was changed, or was not made by this page.');
    const entered = readEntered(form);
    try {
      return { person: options.rememberPerson(readPerson(entered)), admin: entered.admin === true };
    } catch (error) {
      if (!(error instanceof InvalidPersonError)) throw error;
      showForm(ctx, form, { entered, problem: error });
      return undefined;
    }
  }

  return async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>): Promise<void> => {
    if (ctx.path !== '/authorize') return void (await next());
    const isForm = ctx.method === 'POST';
    try {
      const sent = isForm ? await readForm(ctx) : new URLSearchParams(ctx.querystring);
      const signedIn = isForm ? signIn(ctx, sent) : undefined;
      if (isForm && signedIn === undefined) return;
      Object.assign(ctx.state, { sent, signedIn } satisfies AuthorizeState);
      // Pass a valid form to the library as the original request of a signed-in person.
      ctx.method = 'GET';
      ctx.url = `${ctx.path}?${forLibrary(sent)}`;
      await next();
      ctx.remove('set-cookie');
      if (ctx.oidc.entities.Interaction !== undefined) showForm(ctx, sent);
    } catch (error) {
      if (!(error instanceof RefusedForm)) throw error;
      answer(ctx, answerRefusalPage(frameFor(options, ctx), error.message));
    }
  };
}

/** Shows a refusal page; the library calls it when an error must not go to the app. */
export function showRefusal(options: AuthorizeEndpointOptions, ctx: KoaContextWithOIDC, error: string, description?: string | null): void {
  const reason =
    error === 'invalid_redirect_uri' ? 'redirect_uri is on a site that this sandbox does not send sign-ins to.' : (description ?? error);
  answer(ctx, answerRefusalPage(frameFor(options, ctx), reason, ctx.status));
}

function answer(ctx: KoaContextWithOIDC, { status, headers, body }: Page): void {
  ctx.remove('location');
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
}

function frameFor({ serviceName, typeface }: AuthorizeEndpointOptions, ctx: KoaContextWithOIDC): PageFrame {
  return { serviceName, typeface, theme: readTheme(ctx.get('cookie')) };
}

/** Keeps known parameters only. Without openid the nonce is dropped, so that the error names the scope, not the nonce. */
function forLibrary(sent: URLSearchParams): URLSearchParams {
  const isOpenId = sent.get('scope')?.split(' ').includes('openid') ?? false;
  const asked = new URLSearchParams(listKnownParameters(sent).filter(([name]) => isOpenId || name !== 'nonce'));
  asked.set('response_mode', RESPONSE_MODE);
  if (sent.get('prompt')?.split(' ').includes('none')) asked.set('prompt', 'none');
  return asked;
}

async function readForm(ctx: KoaContextWithOIDC): Promise<URLSearchParams> {
  // Anyone can fetch a form and its token, so also check the form's origin if the browser states it.
  if (!['', 'same-origin'].includes(ctx.get('sec-fetch-site'))) throw new RefusedForm('This form was sent from another site.');
  if (!ctx.is('application/x-www-form-urlencoded')) throw new RefusedForm('Send the body as application/x-www-form-urlencoded.');
  return new URLSearchParams(await text(ctx.req));
}

function isGenuine({ formSecret, now }: AuthorizeEndpointOptions, form: URLSearchParams): boolean {
  return isFormToken(formSecret, listKnownParameters(form), now(), form.get('form_token') ?? '');
}

function readEntered(form: URLSearchParams): PersonInput {
  const key = form.get('person');
  if (key) {
    const demoPerson = demoPeople.find((person) => person.key === key);
    if (demoPerson === undefined) throw new RefusedForm('There is no demo person of this name.');
    return demoPerson;
  }
  return {
    email: form.get('email') ?? '',
    name: form.get('name') ?? undefined,
    twitter_username: form.get('twitter_username') ?? undefined,
    admin: form.get('admin') === 'yes',
  };
}
