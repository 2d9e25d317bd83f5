// odata-csdl, the tool of OASIS: converts the XML metadata to JSON and complains about what it does not understand.

import csdl from "odata-csdl";
import { report, task } from "./task.mjs";

const xml = await (await fetch(`${task.root}/$metadata`)).text();
const messages = [];
const document = csdl.xml2json(xml, { messages, strict: true });
report({ document, messages });
