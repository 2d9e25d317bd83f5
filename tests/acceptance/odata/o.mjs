// o.js against the sandbox: post, get with a query, patch and delete with If-Match.

import odata from "odata";
import { report, task } from "./task.mjs";

const root = `${task.root}/companies(${task.company})/`;
const headers = { "If-Match": "*", "Content-Type": "application/json", Accept: "application/json" };
const client = () => odata.o(root, { headers });

const created = await client().post("customers", { displayName: "Núñez", number: "N2" }).query();
const found = await client().get("customers").query({ $filter: "number eq 'N2'", $select: "number,displayName" });
await client().patch(`customers(${created.id})`, { city: "Vigo" }).query();
const changed = await client().get(`customers(${created.id})`).query();
const deleted = await client().delete(`customers(${created.id})`).query();
const left = await client().get("customers").query({ $filter: "number eq 'N2'" });
report({
  created: created.displayName,
  found: [found].flat().map((each) => each.displayName),
  changed: changed.city,
  deleted: deleted.status ?? deleted,
  left: left.length,
});
