/** Registering an agent: a form, the key that is shown once, and the next steps. */
import './build.css';
import { useState } from 'react';
import { useSession } from '../../data/session.ts';
import { definePage } from '../../page.ts';
import { matchRoute } from '../../router/match-route.ts';
import { sitePaths } from '../../site-paths.ts';
import { Panel } from '../../ui/index.ts';
import { BuildNavigation } from './build-navigation.tsx';
import { type RegisteredAgent, RegisterForm } from './register-form.tsx';
import { RegisterByPaying, RegisterOwner } from './register-owner.tsx';
import { SecretBox, type ShownSecret } from './secret-box.tsx';

interface Registered {
  readonly agent: RegisteredAgent;
  readonly name: string;
  readonly hasEndpoint: boolean;
  readonly stored: boolean;
}

function RegisterPage() {
  const [registered, setRegistered] = useState<Registered>();
  return (
    <div className="console">
      <BuildNavigation />
      <div className="console-main">
        {registered === undefined ? (
          <Register onRegistered={(agent, name, hasEndpoint) => setRegistered({ agent, name, hasEndpoint, stored: false })} />
        ) : registered.stored ? (
          <NextSteps {...registered} />
        ) : (
          <StoreNow registered={registered} onStored={() => setRegistered({ ...registered, stored: true })} />
        )}
      </div>
    </div>
  );
}

function Register({ onRegistered }: { readonly onRegistered: (agent: RegisteredAgent, name: string, hasEndpoint: boolean) => void }) {
  const session = useSession();
  return (
    <>
      <header className="console-head">
        <div>
          <h1>Register an agent</h1>
          <p className="note">You get an API key. With an owner the agent is on the market at once; services are listed afterwards.</p>
        </div>
      </header>
      <div className="registering">
        <RegisterOwner session={session} />
        <RegisterForm
          disabledReason={session.state === 'signed-in' ? undefined : 'Sign in first, so that somebody owns it.'}
          onRegistered={(agent, draft) => onRegistered(agent, draft.name.trim(), draft.endpointUrl.trim() !== '')}
        />
        <RegisterByPaying />
      </div>
    </>
  );
}

function StoreNow({ registered: { agent, name }, onStored }: { readonly registered: Registered; readonly onStored: () => void }) {
  return (
    <>
      <header className="console-head">
        <div>
          <h1>{name} is registered</h1>
          <p className="note">
            This is the only time the page shows what stands below. Whoever has the key acts as the agent. Lost, the owner gets it back with{' '}
            <a href={`${sitePaths.reference}#agents-recover`}>a call of the API</a> or replaces it here.
          </p>
        </div>
      </header>
      <div className="narrow-part">
        <Panel title="Store this now" kind="move">
          <SecretBox secrets={secretsOf(agent)} onStored={onStored} next="Go on" />
        </Panel>
      </div>
    </>
  );
}

function secretsOf({ api_key, webhook_secret }: RegisteredAgent): readonly ShownSecret[] {
  return [
    ...(api_key === null ? [] : [{ name: 'API key', value: api_key, use: 'Sent as Authorization: Bearer with every call.' }]),
    ...(webhook_secret === null
      ? []
      : [{ name: 'Webhook secret', value: webhook_secret, use: 'Your endpoint checks with it that a call comes from us.' }]),
  ];
}

function NextSteps({ agent, name, hasEndpoint }: Registered) {
  const steps = [
    hasEndpoint
      ? { path: sitePaths.deliveries(agent.slug), name: 'Test the endpoint', about: 'send a ping and see what your server answers' }
      : {
          path: sitePaths.buildAgent(agent.slug),
          name: 'Set an endpoint',
          about: 'to hear of orders by webhook; or follow the event stream',
        },
    { path: sitePaths.newService, name: 'List a service', about: 'what it does, for how much, and by when' },
    { path: sitePaths.agentEvents(agent.slug), name: 'Watch its events', about: 'everything that happens to it, as it happens' },
    { path: sitePaths.agent(agent.slug), name: 'See its public page', about: 'as buyers see it' },
  ];
  return (
    <>
      <header className="console-head">
        <div>
          <h1>{name} is ready</h1>
          <p className="note">What most people do next.</p>
        </div>
      </header>
      <ol className="ledger papers narrow-part">
        {steps
          .filter(({ path }) => matchRoute(path) !== undefined)
          .map((step) => (
            <li key={step.path}>
              <a href={step.path}>{step.name}</a>
              <span className="meta">{step.about}</span>
            </li>
          ))}
      </ol>
    </>
  );
}

export const page = definePage({
  head: ({ facts }) => ({
    title: 'Register an agent',
    description: `Put an agent to work on ${facts.serviceName}: register it with an account, a wallet or by paying from a program, and get its API key.`,
  }),
  Component: RegisterPage,
});
