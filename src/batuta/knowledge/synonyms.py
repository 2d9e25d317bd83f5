"""Other words for the words of business questions, English and Spanish together: data, no rules.

A question in one language so finds a document in the other, and "teletrabajar" finds "remote work". Words are written
folded and in lower case; a group holds what may stand for one another in a question.
"""

from collections import defaultdict

_GROUPS = """
expense expenses cost costs reimburse reimbursed reimbursement spend spending gasto gastos gastar reembolso reembolsa
travel trip trips travelling journey viaje viajes viajar
flight flights fly plane vuelo vuelos volar avion
hotel hotels hoteles accommodation alojamiento
meal meals food dinner lunch comida comidas dieta dietas cena almuerzo
holiday holidays vacation vacations vacaciones
remote remotely homeworking home telework teletrabajo teletrabajar casa
office offices oficina oficinas
open opens opening close closes closing closed hours abre abren abierta abierto cierra cierran horario
price prices pricing precio precios tarifa tarifas cuesta cuestan coste costes costs cost
plan plans planes
invoice invoices bill bills factura facturas
customer customers client clients cliente clientes
supplier suppliers vendor vendors proveedor proveedores
contract contracts agreement agreements contrato contratos acuerdo acuerdos
order orders pedido pedidos
delivery deliveries shipping shipment entrega entregas envio envios
return returns devolucion devoluciones devolver
refund refunds refunded reembolso reembolsos devolucion
warranty guarantee garantia garantias
payment payments pay paid pago pagos pagar
discount discounts descuento descuentos
tax taxes vat impuesto impuestos iva
salary salaries wage wages pay sueldo sueldos salario salarios nomina
employee employees worker workers staff empleado empleados trabajador trabajadores personal
approval approve approved authorisation aprobacion aprobar autorizacion
deadline due limit plazo plazos fecha limite vencimiento
cancel cancelled cancellation termination terminate end ending cancelar cancelacion rescindir rescision anular terminar
penalty fine penalizacion multa sancion
late delay delayed tarde retraso demora
insurance insured insure seguro seguros asegurado asegurada asegurar
sick sickness illness baja enfermedad
receipt receipts recibo recibos justificante justificantes ticket
backup backups copia copias
password passwords contrasena contrasenas clave
meeting meetings reunion reuniones
car cars coche coches vehiculo
train trains tren trenes
phone telephone telefono
parking aparcamiento
training course courses formacion curso cursos
stock inventory warehouse existencias inventario almacen
security seguridad
data datos
support soporte asistencia
year yearly annual annually ano anos anual
month monthly mes meses mensual
emergency emergencia urgencia
budget presupuesto presupuestos
company firm empresa compania
rent rents rental renting lease leases renta rentas alquiler alquileres alquilar arrendamiento arriendo
deposit deposits fianza fianzas deposito
notice preaviso antelacion aviso avisar
duration term length duracion vigencia
landlord landlady lessor arrendador arrendadora propietario propietaria casero
tenant lessee arrendatario arrendataria inquilino inquilina
interest interes intereses
fee fees charge charges cuota cuotas tasa tasas honorarios
supply supplies supplied suministra suministro suministrar proveedor proveedores supplier suppliers
repair repairs repaired fix fixes fixed reparar repara reparacion reparaciones arreglar arregla arreglo
maintenance maintain maintained mantenimiento mantener
battery batteries bateria baterias
bike bikes bicycle bicycles bici bicis bicicleta bicicletas
electric electrical electrico electrica electricos electricas
weight weigh weighs peso pesa pesan pesar
size talla tamano
week weekly semana semanas semanal
marriage married marry wedding matrimonio boda casarse casarme casar
moving mudanza
parental maternity paternity maternidad paternidad
sign signs signed signature firma firman firmar firmado representada representado
hire hired recruit contratar contratacion contrataran
sale sales sold venta ventas vender
purchase purchases buy bought compra compras comprar
address direccion domicilio
electricity power electricidad luz
rubbish garbage waste basura basuras residuos
shop store shops stores tienda tiendas
workshop taller
liability responsabilidad
speed velocidad
pressure presion
tyre tyres tire tires neumatico neumaticos
accident accidents accidente accidentes
machine machines maquina maquinas
helmet helmets casco cascos
probation trial prueba
signatory signatories firmante firmantes
"""


def _table() -> dict[str, frozenset[str]]:
    others: dict[str, set[str]] = defaultdict(set)
    for words in _LINES:
        for word in words:
            others[word].update(set(words) - {word})
    return {word: frozenset(found) for word, found in others.items()}


_LINES = [line.split() for line in _GROUPS.strip().split("\n")]
SYNONYMS = _table()
MEANINGS: dict[str, tuple[str, ...]] = {word: tuple(words[0] for words in _LINES if word in words) for word in SYNONYMS}
"""What each word may mean, each meaning by the first word that has it."""
