-- why: closing takes names out of places of names only, and payments that failed keep nothing of what was asked for

-- Of these keys alone, at any depth.
create function with_names(value jsonb, keys text[], names jsonb) returns jsonb language sql immutable as $$
  select case jsonb_typeof(value)
    when 'object' then (select coalesce(jsonb_object_agg(e.key, case
        when e.key = any(keys) and jsonb_typeof(e.value) = 'string' then coalesce(names->(e.value #>> '{}'), e.value)
        else with_names(e.value, keys, names) end), '{}') from jsonb_each(value) e)
    when 'array' then (select coalesce(jsonb_agg(with_names(e.value, keys, names) order by e.place), '[]')
        from jsonb_array_elements(value) with ordinality e(value, place))
    else value end
$$;

update x402_payments set request = '{}' where state = 'failed';
