"""Other words for the words of business questions, English and Spanish together: data, no rules.

A question in one language so finds a document in the other, and "teletrabajar" finds "remote work". Words are written
folded and in lower case, and with their accents where these lead to another root; a group holds what may stand for one
another in a question.
"""

from collections import defaultdict
from collections.abc import Iterable

from batuta.knowledge.translations import TRANSLATIONS
from batuta.knowledge.words import STOP_WORDS, stems

_GROUPS = """
expense expenses cost costs reimburse reimbursed reimbursement spend spending gasto gastos gastar reembolso reembolsa
travel trip trips travelling journey viaje viajes viajar
flight flights fly plane vuelo vuelos volar avion
hotel hotels hoteles accommodation alojamiento
meal meals food dinner lunch comida comidas dieta dietas cena almuerzo
holiday holidays vacation vacations vacaciones
remote remotely homeworking home telework teletrabajo teletrabajar casa
office offices oficina oficinas
open opens opening close closes closing closed hours abre abrir abierta abierto apertura cierra cerrar cierre horario
price prices pricing rate rates fare fares precio precios tarifa tarifas cuesta cuestan coste costes cost cobra cobrar
plan plans planes
invoice invoices bill bills factura facturas
customer customers client clients cliente clientes
supplier suppliers vendor vendors proveedor proveedores
contract contracts deal deals agreement agreements contrato contratos acuerdo acuerdos
order orders pedido pedidos
delivery deliveries deliver delivered shipping shipment entrega entregas entregar envio envios
return returns devolucion devoluciones devolver
refund refunds refunded reembolso reembolsos devolucion devuelve devuelven devuelto
warranty warranties guarantee guaranteed garantia garantías garantía garantias
payment payments pay paid pago pagos pagar
discount discounts descuento descuentos
tax taxes vat impuesto impuestos iva
salary salaries wage wages pay earn earns earning sueldo sueldos salario salarios nomina
employee employees worker workers staff empleado empleados trabajador trabajadores personal
approval approve approves approved authorisation aprobacion aprobar aprueba aprobado aprobada autorizacion
deadline due limit plazo plazos fecha limite vencimiento
cancel cancelled cancellation termination terminate end ending cancelar cancelacion rescindir rescision anular terminar
penalty fine penalizacion multa sancion
late delay delayed tarde retraso demora
insurance insured insure seguro seguros asegurado asegurada asegurar
sick sickness illness baja enfermedad
receipt receipts recibo recibos justificante justificantes ticket
backup backups copia copias
password passwords contrasena contrasenas clave
meeting meetings reunion reuniones junta juntas
plot plots allotment allotments parcela parcelas huerto huertos
car cars coche coches vehiculo
train trains tren trenes
phone telephone telefono
parking aparcamiento
training course courses class classes formacion curso cursos
stock inventory warehouse remaining queda quedan existencias inventario almacen almacén
security seguridad
data datos
support soporte
year yearly annual annually ano anos anual
month monthly mes meses mensual
emergency emergencia urgencia
budget presupuesto presupuestos
company firm empresa compania compañía
rent rents rental renting hire hires lease leases renta rentas alquiler alquileres alquilar arrendamiento arriendo
deposit deposits fianza fianzas deposito senal
notice notify notified preaviso antelacion aviso avisar avise
duration term length duracion vigencia
landlord landlady lessor arrendador arrendadora propietario propietaria casero
tenant lessee arrendatario arrendataria inquilino inquilina
interest interes interés intereses
fee fees charge charges cuota cuotas tasa tasas honorarios
supply supplies supplied suministra suministro suministrar proveedor proveedores supplier suppliers
repair repairs repaired fix fixes fixed reparar repara reparacion reparaciones arreglar arregla arreglo
maintenance maintain maintained serviced servicing mantenimiento mantener revision revisiones revisar
battery batteries bateria baterias batería baterías
bike bikes bicycle bicycles bici bicis bicicleta bicicletas
electric electrical electrico electrica electricos electricas
weight weigh weighs heavy peso pesa pesan pesar pesado pesada
size talla tamano
week weekly semana semanas semanal
marriage married marry wedding matrimonio boda casarse casarme casar
moving mudanza
parental maternity paternity maternidad paternidad
sign signs signed signature firma firman firmar firmado representada representado represented
hire hired recruit contratar contratacion contrataran
sale sales sold venta ventas vender
purchase purchases buy bought compra compras comprar
address direccion domicilio
electricity electricidad luz
power watts potencia
rubbish garbage waste basura basuras residuos
shop store shops stores retail tienda tiendas
workshop taller
liability responsabilidad
speed fast velocidad rapido rapida
pressure presion
tyre tyres tire tires neumatico neumaticos
accident accidents accidente accidentes
machine machines maquina maquinas
helmet helmets casco cascos
probation trial prueba
signatory signatories firmante firmantes
extra overtime extraordinaria extraordinarias
clean cleans cleaning cleaner cleaners limpieza limpiar limpia limpian
clinic clinica
lift lifts elevator elevators ascensor ascensores
pool pools piscina piscinas
community comunidad
neighbour neighbours neighbor neighbors vecino vecinos vecina vecinas
noise noises noisy ruido ruidos
key keys llave llaves
lock locks cerradura cerraduras
boiler boilers heating caldera calderas calefaccion
pump pumps bomba bombas
error errors fault faults failure failures fallo fallos averia averias avería averías
code codes codigo codigos
water agua
inspection inspections inspect inspected inspeccion inspecciones revision revisiones revisar
driver drivers drive drives driven conductor conductora conductores conduce conducir
owner owners own owns owned dueno duena duenos titular
health sanitary sanidad sanitario sanitaria sanitarios
knot knots nudo nudos
breakfast breakfasts desayuno desayunos
room rooms habitacion habitaciones
guest guests huesped huespedes
child children kid kids nino ninos menor menores
bottle bottles botella botellas
towel towels toalla toallas
dog dogs perro perros
cat cats gato gatos
garden gardens jardin jardines
kitchen cocina
wedding weddings boda bodas
voucher vouchers vale bono bonos
school schools escuela escuelas colegio colegios
teacher teachers maestro maestra profesor profesora
door doors puerta puertas
window windows ventana ventanas
floor floors planta plantas suelo
street streets calle calles
roof roofs tejado techo
wall walls pared paredes muro
oven ovens horno hornos
bread pan
flour harina
milk leche
egg eggs huevo huevos
doctor doctors medico medica medicos
patient patients paciente pacientes
member members membership socio socios socia
engine engines motor motores
oil aceite
temperature temperatura temperaturas
fridge refrigerator camara nevera frigorifico
freezer congelador
uniform uniforms uniforme uniformes
shift shifts turno turnos
weekend finde
sponsor sponsors patrocinador patrocinadores
sail sails vela velas
height tall altura alto
width wide anchura ancho
secretary secretaria secretario
chair chairman chairwoman president presidente presidenta preside
harbour harbours harbor port puerto puertos
boat boats yacht barco barcos velero embarcacion
berth berths mooring amarre amarres
mileage mile miles kilometre kilometres kilometraje kilometro kilometros
christmas xmas december navidad navidades diciembre
agree agreed agrees decided decide decision acuerda acuerdan acuerdo acordo acordaron decidio decide
kilometre kilometres kilometer mileage kilometro kilometros kilometraje
tea teas tes
teapot teapots tetera teteras
kettle kettles hervidor hervidores
coffee cafe cafes cafetera cafeteras
bread loaf loaves pan panes
bakery bakeries panaderia panaderias
butter mantequilla
sugar azucar
salt sal
free gratis gratuito gratuita gratuitos gratuitas
old viejo vieja viejos viejas antiguo antigua
launch launched lanzamiento lanzar
market markets mercado mercados
germany german alemania aleman alemán
france french francia frances francés
spain spanish espana espanol
italy italian italia italiano
kingdom reino
states estados
group groups grupo grupos
restaurant restaurante
dish dishes plato platos
wine wines vino vinos
allergen allergens allergy allergies alergeno alergenos alergia alergias
milk dairy leche lacteos
nut nuts frutos
book booking bookings reserve reservation reservations reserva reservas reservar
pet pets mascota mascotas
ferry ferries transbordador
boat boats ship barco barcos
departure departures departs salida salidas
arrival arrivals llegada llegadas
adult adults adulto adultos
child children nino ninos infantil
island islands isla islas
resident residents residente residentes
library libraries biblioteca bibliotecas
books libro libros
loan loans borrow borrowed lend prestamo prestamos prestar prestado
print prints printing impresion impresiones imprimir
colour color colours colors colores
blue azul azules
red rojo roja rojos rojas
black negro negra negros negras
white blanco blanca blancos blancas
green verde verdes
yellow amarillo amarilla amarillos amarillas
grey gray gris grises
fabric fabrics cloth textile textiles tela telas tejido tejidos
velvet terciopelo
cotton algodon
wool lana
silk seda
thread threads yarn yarns hilo hilos
loom looms telar telares
grease greases greased lubricate lubricated lubrication engrasar engrasa engrase lubricar lubrica
shaft shafts axle axles eje ejes
filter filters filtro filtros
wear wears wearing dress dressed clothes clothing vestir vestimenta ropa
allowance allowances perdiem dieta dietas
raffle raffles raffled lottery sorteo sorteos sortear sortea sortean
character characters caracter caracteres
auditor auditors audit audits audited auditoria auditorias auditar audita
dividend dividends dividendo dividendos
canteen canteens cafeteria comedor comedores
menu menus
night nights noche noches nocturno nocturna nocturnidad
space spaces plaza plazas
stairs stair escalera escaleras
extinguisher extinguishers extintor extintores
aid auxilio auxilios
alarm alarms siren sirens alarma alarmas sirena sirenas
gloves glove guante guantes
goggles glasses gafas
shoe shoes boot boots zapato zapatos calzado botas
tool tools herramienta herramientas
wage-slip payslip payslips nomina nominas
desk desks escritorio escritorios
paper papel
box boxes caja cajas
bag bags bolsa bolsas
member members membership socio socios miembro miembros
manager managers gerente gerentes director directora dirige dirigir
president chair chairman chairwoman presidente presidenta preside
board consejo junta
profit profits beneficio beneficios
revenue turnover income facturacion ingreso ingresos
investment investments invest invested inversion inversiones invertir invertido
harvest crop cosecha
olive olives aceituna aceitunas oliva
panel panels placa placas
woman women mujer mujeres
vote votes voted voto votos votar
reject rejected refuse refused rechaza rechazar rechazo
complaint complaints complain complains complained queja quejas quejar reclamacion reclamaciones
fund funds fondo fondos
balance saldo saldos
account accounts cuenta cuentas
owner owners propietario propietarios propietaria dueno duena
floor floors planta plantas
building buildings edificio edificios
room rooms sala salas habitacion habitaciones
apartment apartments flat flats piso pisos vivienda viviendas
garden jardin
roof tejado cubierta
facade fachada
bathroom toilet toilets bano banos aseo aseos
school schools colegio escuela
teacher teachers profesor profesora profesores
student students alumno alumnos alumna estudiante estudiantes
exam exams examen examenes
lawyer lawyers abogado abogada abogados
court courts jurisdiction juzgado juzgados tribunal tribunales jurisdiccion
clause clauses clausula clausulas
damage damages damaged dano danos desperfecto desperfectos
theft stolen robo robos robado
compensation indemnizacion indemnizaciones
renew renewal renewed renewals extension prorroga prorrogar prorrogas renovar renovacion
certificate certificates certification certificado certificados certificacion
licence license licences licencia licencias
faulty defective defect defects defectuoso defectuosa defecto defectos
bank banco bancos
transfer transfers transferencia transferencias
card cards tarjeta tarjetas
cash efectivo
debt debts deuda deudas
engine motor motores
brake brakes freno frenos
clutch embrague
fuel combustible
van vans furgoneta furgonetas
lorry lorries truck trucks camion camiones
temperature temperatura
height high tall altura alto
width wide broad anchura ancho ancha
length long longitud largo larga
depth deep profundidad profundo profunda
capacity seats fit fits hold holds aforo capacidad cabe caben admite admiten
material materials materiales
quantity cantidad cantidades
brand marca marcas
model models modelo modelos
manufacturer fabricante fabricantes
email mail correo
network red redes
printer impresora
project projects proyecto proyectos
team teams equipo equipos
responsible encargado encargada responsable responsables encarga
report reports informe informes
risk risks riesgo riesgos
fire fires incendio incendios
exit exits salida salidas
injury injuries lesion lesiones
dismissal dismissed despido despidos despedir
break breaks descanso descansos
bonus prima primas incentivo incentivos
pension pensions pensiones
city town ciudad
country countries pais paises
street calle
absent absence absences ausente ausentes ausencia ausencias apologies
attend attended attendance attendees asistente asistentes asistencia asistieron
recommend recommends recommended recomienda recomendar recomendado
replace replaced replacement substitute deputy sustituir sustituye sustitucion sustituto reemplazar suplente suplentes
install installs installed installation instalar instala instalacion
exclude excluded excluido excluida excluye
annex appendix anexo anexos
visitor visitors visitante visitantes
guest guests invitado invitados huesped huespedes
swimming swim nadar bano
trainer coach monitor entrenador
ticket tickets entrada entradas billete billetes
subscription abono suscripcion
registration register enrol enrolment inscripcion inscribir matricula
"""


def meanings_of(word: str) -> frozenset[str]:
    """The meanings that a folded word may have, each by the first word of its group; those of its root where the word
    itself is not listed: "mensuales" as "mensual".
    """
    listed = _MEANINGS.get(word)
    if listed is not None:
        return listed
    return frozenset().union(*(_BY_ROOT.get(root, ()) for root in _roots(word)))


def others_for(word: str) -> frozenset[str]:
    """What else a folded word may be called."""
    return frozenset().union(*(_GROUP[meaning] for meaning in meanings_of(word))) - {word}


def _roots(word: str) -> set[str]:
    return {root for language in STOP_WORDS for root in stems((word,), language) if len(root) >= LEAST_ROOT}


def _collected(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for key, value in pairs:
        found[key].add(value)
    return {key: frozenset(values) for key, values in found.items()}


LEAST_ROOT = 4
"""Letters: shorter roots are those of unlike words, such as "casa" and "casarse"."""
_LINES = [line.split() for line in f"{_GROUPS.strip()}\n{TRANSLATIONS.strip()}".split("\n")]
_FIRSTS = [line[0] for line in _LINES]
_NAMES = [first if first not in _FIRSTS[:at] else f"{first}:{at}" for at, first in enumerate(_FIRSTS)]
"""What each group is called: by its first word, which may have several meanings."""
_GROUP = {name: frozenset(line) for name, line in zip(_NAMES, _LINES, strict=True)}
_MEANINGS = _collected((word, name) for name, line in zip(_NAMES, _LINES, strict=True) for word in line)
_BY_ROOT = _collected(
    (root, name) for name, line in zip(_NAMES, _LINES, strict=True) for word in line for root in _roots(word)
)
LISTED = frozenset(_MEANINGS)
"""Every word of the table."""
