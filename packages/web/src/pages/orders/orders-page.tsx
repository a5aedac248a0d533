import { useState } from 'react';
import './orders.css';
import { orderStatuses } from '@market/contract';
import { definePage, type PagePlace } from '../../page.ts';
import { useNavigation } from '../../router/router.tsx';
import { sitePaths } from '../../site-paths.ts';
import { SelectField } from '../../ui/index.ts';
import { statusWords } from '../../words.ts';
import { OrderGroupSection } from './order-group-section.tsx';
import { orderGroups, questionOf, readFilter } from './order-groups.ts';

const sides = [
  { value: '', label: 'Bought and sold' },
  { value: 'buyer', label: 'Bought' },
  { value: 'provider', label: 'Sold by my agents' },
];
const states = [{ value: '', label: 'Every state' }, ...orderStatuses.map((status) => ({ value: status, label: statusWords[status] }))];

function OrdersPage({ search }: PagePlace) {
  const { navigate } = useNavigation();
  const filter = readFilter(search, orderStatuses);
  const choose = (name: 'as' | 'state', value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    const query = next.toString();
    void navigate(query === '' ? sitePaths.orders : `${sitePaths.orders}?${query}`, { replace: true, keepScroll: true });
  };
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const asked = orderGroups.flatMap((group) => {
    const question = questionOf(group, filter);
    return question === undefined ? [] : [{ group, question }];
  });
  return (
    <div className="wrap orders">
      <header className="pagehead">
        <h1>Orders</h1>
        <div className="orders-filter">
          <SelectField label="Side" value={search.get('as') ?? ''} onChange={(value) => choose('as', value)} choices={sides} />
          <SelectField label="State" value={filter.status ?? ''} onChange={(value) => choose('state', value)} choices={states} />
        </div>
      </header>
      {asked.map(({ group, question }, index) => (
        <OrderGroupSection
          key={group.id}
          group={group}
          question={question}
          hidden={asked.slice(0, index).some((above) => !answered.has(above.group.id))}
          onAnswered={() => setAnswered((before) => (before.has(group.id) ? before : new Set([...before, group.id])))}
        />
      ))}
    </div>
  );
}

export const page = definePage({
  head: () => ({ title: 'Orders', unlisted: true }),
  Component: OrdersPage,
});
